import type { DocumentFormat } from "../documents/document-format.ts";
import type { Finding } from "../documents/findings.ts";
import { mapCanarySecrets } from "./canary-secrets.ts";
import { canaryApiVersion, canaryEnvelope, type CanarySpec, canarySpec } from "./canary-spec.ts";
import { checksOf } from "./checks-of.ts";
import { codeInCanarySpec } from "./code-in-spec.ts";

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
    return findTwice(checksOf({ namespace: "", labels: {}, annotations: {}, spec, source }));
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

/** A check is known by type and name inside its document, whatever namespace it is shown under. */
function findTwice(checks: readonly { type: string; name: string }[]): Finding[] {
  const seen = new Set<string>();
  return checks.flatMap(({ type, name }) => {
    const key = `${type}/${name}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [
      {
        severity: "error",
        path: ["spec", type],
        message: `Two ${type} checks of this document are called "${name}".`,
      },
    ];
  });
}
