import { forbidEval } from "#lib/documents/forbid-eval.ts";

/** The parser and schema of documents are large: they come with the editor, not with the page. */

export async function loadCanaryLanguage() {
  await forbidEval();
  return import("./language/canary-language.ts");
}

export async function loadCanaryFormReader() {
  await forbidEval();
  return import("./language/read-canary-form.ts");
}
