/** What `kubectl apply` keeps of a document in the document itself: a second copy, with every secret in it. */
export const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

export function withoutLastApplied<Value>(
  annotations: Record<string, Value>,
): Record<string, Value> {
  const { [LAST_APPLIED]: _copy, ...others } = annotations;
  return others;
}
