import { canarySpec, type CanaryCheck, checksOf } from "@mainstay/contract";

/** Checks that stand in something else than a canary. */
const mostChecks = 50;

/** The checks of a canary spec that stands in something else, or why there are none. */
export function readChecks(
  spec: Readonly<Record<string, unknown>>,
  namespace: string,
): { checks: readonly CanaryCheck[] } | { name: string; error: string } {
  const read = canarySpec.safeParse(spec);
  if (!read.success) {
    const [issue] = read.error.issues;
    return {
      name: issue?.path.join(".") ?? "checks",
      error: issue?.message ?? "cannot be read",
    };
  }
  const source = spec as Record<string, unknown>;
  const checks = checksOf({ namespace, labels: {}, annotations: {}, spec: read.data, source });
  return checks.length > mostChecks
    ? { name: "checks", error: `There are ${checks.length}, at most ${mostChecks} are run.` }
    : { checks };
}
