import { addressTarget } from "./address-secrets.ts";
import { namesAddress } from "./secret-names.ts";

/** What only describes; nothing is sent there. */
const described = new Set(["labels", "description", "relationships", "valueFrom", "annotations"]);

/** A path that leads to another machine: `sftp://host/…`, `\\\\host\\share`. */
const leadsAway = /^(?:[a-z][a-z0-9+.-]*:\/\/|\\\\)/i;

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

function usernameOf(part: Record<string, unknown>): string | undefined {
  const group = (part.authentication ?? part.auth ?? part.credentials) as
    | Record<string, unknown>
    | undefined;
  const written = part.username ?? group?.username;
  return textOf(
    typeof written === "object" && written !== null
      ? (written as { value?: unknown }).value
      : written,
  );
}

/**
 * Where a part of a document sends its secrets: every host and address that it names, sorted. Two parts with the same
 * text send them to the same places.
 */
export function destinationOf(part: unknown): string {
  const found = new Set<string>();
  const open: { value: unknown; username: string | undefined }[] = [
    { value: part, username: undefined },
  ];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value } = next;
    if (typeof value !== "object" || value === null) continue;
    const username = Array.isArray(value)
      ? next.username
      : (usernameOf(value as Record<string, unknown>) ?? next.username);
    for (const [key, inner] of Object.entries(value)) {
      if (described.has(key)) continue;
      if (typeof inner === "object") {
        open.push({ value: inner, username });
        continue;
      }
      // Whoever can be taken for the target would be sent its password.
      if ((key === "insecureSkipVerify" || key === "skipTLSVerify") && inner === true)
        found.add("unverified");
      const text = textOf(inner);
      if (text === undefined || text === "") continue;
      if (namesAddress(key) || (key === "path" && leadsAway.test(text)))
        found.add(addressTarget(text.replaceAll(/\$\(\.?username\)/g, () => username ?? "")));
    }
  }
  return [...found].toSorted().join(" ");
}
