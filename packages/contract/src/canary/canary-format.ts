import type { DocumentFormat } from "../documents/document-format.ts";
import type { Finding } from "../documents/findings.ts";
import { jsonSchemaOf } from "../documents/json-schema.ts";
import { findWrongReferencesBy } from "../documents/value-references.ts";
import { mapCanarySecrets } from "./canary-secrets.ts";
import { canaryApiVersion, canaryEnvelope, type CanarySpec, canarySpec } from "./canary-spec.ts";
import { type CanaryCheck, checksOf } from "./checks-of.ts";
import { findWrongDependencies } from "./dependencies.ts";
import { codeInCanarySpec } from "./code-in-spec.ts";
import { findUnknownWords } from "./known-words.ts";

export const canaryFormat: DocumentFormat<CanarySpec> = {
  kind: "Canary",
  name: "canary",
  plural: "canaries",
  apiVersions: [canaryApiVersion],
  resource: "canaries",
  envelope: canaryEnvelope,
  spec: canarySpec,
  codeIn: codeInCanarySpec,
  mapSecrets: mapCanarySecrets,
  judge({ spec, source }) {
    const checks = checksOf({ namespace: "", labels: {}, annotations: {}, spec, source });
    return [
      ...findNone(checks, source),
      ...findTold(checks),
      ...findWrongDependencies(checks),
      ...findUnknownWords(source, checks),
      ...findWrongReferencesBy(jsonSchemaOf(canarySpec), source, ["spec"]),
    ];
  },
  listed: {
    SCHEDULE: ({ spec: { schedule, interval } }) =>
      typeof schedule === "string"
        ? schedule
        : typeof interval === "number"
          ? `@every ${interval}s`
          : "",
  },
};

/** Without checks, and with something that nothing reads: they are probably there. */
const findNone = (
  checks: readonly CanaryCheck[],
  source: Readonly<Record<string, unknown>>,
): Finding[] =>
  checks.length > 0 || Object.keys(source).every((key) => Object.hasOwn(canarySpec.shape, key))
    ? []
    : [{ severity: "warning", path: ["spec"], message: "There are no checks, so nothing is run." }];

/** Checks that are not called as they are written, because another one is. */
function findTold(checks: readonly CanaryCheck[]): Finding[] {
  return checks
    .filter(({ isTold }) => isTold)
    .map(({ type, name, path, spec }) => ({
      severity: "warning",
      path: ["spec", ...path, "name"],
      message: `Another ${type} check of this document is called "${String(spec.name)}", so this one is called "${name}". With a name of its own it keeps its history whatever becomes of the other.`,
    }));
}
