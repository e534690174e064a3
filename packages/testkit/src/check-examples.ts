import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checksOf, parseCanaryDocuments } from "@mainstay/contract/canary/index.ts";

const repository = join(import.meta.dirname, "../../..");
const folders = ["examples", "packages/contract/src/canary/compat"];

/** Of each check type a check as our examples have it, or else the documents that people have published. */
export function checkExamples(): ReadonlyMap<string, Record<string, unknown>> {
  const examples = new Map<string, Record<string, unknown>>();
  for (const folder of folders) {
    const at = join(repository, folder);
    for (const file of readdirSync(at).filter((name) => name.endsWith(".yaml")))
      for (const one of parseCanaryDocuments(readFileSync(join(at, file), "utf8")).documents)
        for (const { type, spec } of checksOf(one)) {
          // What depends on another check of its document is wrong without it.
          const { dependsOn: _others, ...alone } = spec;
          if (!examples.has(type)) examples.set(type, { ...alone, name: "example" });
        }
  }
  return examples;
}
