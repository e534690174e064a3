type Mapping = Record<string, unknown>;

const isMapping = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const keyed = [
  ["secretKeyRef", "secret"],
  ["configMapKeyRef", "configmap"],
  ["helmRef", "helm"],
] as const;

/** A value as columns hold it: the text itself, or where it stands. Undefined when it is neither. */
export function textOfValue(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (!isMapping(value)) return undefined;
  if (isMapping(value.valueFrom)) {
    for (const [word, scheme] of keyed) {
      const from = value.valueFrom[word];
      if (isMapping(from))
        return `${scheme}://${textOfValue(from.name) ?? ""}/${textOfValue(from.key) ?? ""}`;
    }
    const { serviceAccount } = value.valueFrom;
    if (typeof serviceAccount === "string") return `serviceaccount://${serviceAccount}`;
  }
  return value.value === undefined ? undefined : textOfValue(value.value);
}

/** The same as documents write it. */
export function writtenValue(text: string): Mapping {
  const account = /^serviceaccount:\/\/([^/]+)$/.exec(text);
  if (account) return { valueFrom: { serviceAccount: account[1] } };
  const found = /^(\w+):\/\/([^/]+)\/(.+)$/s.exec(text);
  const word = keyed.find(([, scheme]) => scheme === found?.[1])?.[0];
  return word && found
    ? { valueFrom: { [word]: { name: found[2], key: found[3] } } }
    : { value: text };
}
