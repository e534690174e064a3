import { supportedCheckTypes } from "@mainstay/contract";

/** Severities are accepted in any case and written in lower case; everything else stays as it was written. */
export function normaliseSpec(spec: Record<string, unknown>): Record<string, unknown> {
  const changed: Record<string, unknown> = lowerSeverity(spec);
  for (const type of supportedCheckTypes) {
    const checks = changed[type];
    if (Array.isArray(checks))
      changed[type] = checks.map((check: Record<string, unknown>) => lowerSeverity(check));
  }
  return changed;
}

/** What `kubectl apply` keeps of a document in the document itself: a second copy, with every secret in it. */
export const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

export function normaliseAnnotations<Value>(
  annotations: Record<string, Value>,
): Record<string, Value> {
  const { [LAST_APPLIED]: _copy, ...others } = annotations;
  return others;
}

function lowerSeverity(value: Record<string, unknown>): Record<string, unknown> {
  return typeof value.severity === "string"
    ? { ...value, severity: value.severity.toLowerCase() }
    : { ...value };
}
