/** The parser and schema of documents are large: they come with the editor, not with the page. */

// Schemas compile themselves with `new Function` unless told not to, which the content security policy refuses and
// reports; it must be said before the first of them is made.
async function forbidEval(): Promise<void> {
  const { config } = await import("zod/v4/core");
  config({ jitless: true });
}

export async function loadCanaryLanguage() {
  await forbidEval();
  return import("./language/canary-language.ts");
}

export async function loadCanaryFormReader() {
  await forbidEval();
  return import("./language/read-canary-form.ts");
}
