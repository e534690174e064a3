import { supportedCheckTypes } from "@mainstay/contract";

/** Severities are accepted in any case and written in lower case; everything else stays as it was written. */
export function normaliseSpec(spec: Record<string, unknown>): Record<string, unknown> {
  const changed: Record<string, unknown> = lowerSeverity(spec);
  for (const type of supportedCheckTypes) {
    const checks = changed[type];
    if (Array.isArray(checks))
      changed[type] = checks.map((check: Record<string, unknown>) => lowerSeverity(check));
    else if (typeof checks === "object" && checks !== null)
      changed[type] = lowerSeverity(checks as Record<string, unknown>);
  }
  return changed;
}

function lowerSeverity(value: Record<string, unknown>): Record<string, unknown> {
  return typeof value.severity === "string"
    ? { ...value, severity: value.severity.toLowerCase() }
    : { ...value };
}
