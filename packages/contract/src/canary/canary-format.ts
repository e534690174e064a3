import type { DocumentFormat } from "../documents/document-format.ts";
import type { Finding } from "../documents/findings.ts";
import { jsonSchemaOf } from "../documents/json-schema.ts";
import { findWrongReferencesBy } from "../documents/value-references.ts";
import { mapCanarySecrets } from "./canary-secrets.ts";
import {
  canaryApiVersion,
  canaryEnvelope,
  type CanarySpec,
  canarySpec,
  storedCanaryEnvelope,
  storedCanarySpec,
} from "./canary-spec.ts";
import { type CanaryCheck, type CanaryParts, checksOf } from "./checks-of.ts";
import { findWrongDependencies } from "./dependencies.ts";
import { codeInCanarySpec } from "./code-in-spec.ts";
import { findUnknownWords } from "./known-words.ts";

const checksIn = (spec: CanarySpec, source: CanaryParts["source"]) =>
  checksOf({ namespace: "", labels: {}, annotations: {}, spec, source });

type Judge = NonNullable<DocumentFormat<CanarySpec>["judge"]>;

const judgeStored: Judge = ({ spec, source }) => {
  const checks = checksIn(spec, source);
  return [...findNone(checks, source), ...findTold(checks), ...findWrongDependencies(checks)];
};

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
  judge: (judged) => [
    ...judgeStored(judged),
    ...findUnknownWords(judged.source, checksIn(judged.spec, judged.source)),
    ...findWrongReferencesBy(jsonSchemaOf(canarySpec), judged.source, ["spec"]),
  ],
  listed: {
    SCHEDULE: ({ spec: { schedule, interval } }) =>
      typeof schedule === "string"
        ? schedule
        : typeof interval === "number"
          ? `@every ${interval}s`
          : "",
  },
};

/** As what is stored is read: an earlier version took words that no document brings in any more, and it runs on. */
export const storedCanaryFormat: DocumentFormat<CanarySpec> = {
  ...canaryFormat,
  envelope: storedCanaryEnvelope,
  spec: storedCanarySpec,
  judge: judgeStored,
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
