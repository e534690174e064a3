import { codeInCanarySpec } from "../canary/code-in-spec.ts";
import { overHttp } from "../code-judges.ts";
import type { WrittenSpec } from "../documents/document-format.ts";
import type { CodeFinding } from "../server-code.ts";
import { canariesIn, isMapping } from "./parts.ts";

/** Everything in a topology, as it was written, that reaches into the server's machine: its checks do. */
export function codeInTopology(source: WrittenSpec): CodeFinding[] {
  const push = isMapping(source.push) ? overHttp(source.push) : undefined;
  return [
    ...canariesIn(source).flatMap(({ spec, path }) =>
      codeInCanarySpec(spec).map((found) => ({ ...found, path: [...path, ...found.path] })),
    ),
    ...(push ? [{ path: ["push"], kind: push, name: "push" }] : []),
  ];
}
