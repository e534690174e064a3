import { connectionType } from "@mainstay/contract";

/** What a reference may mean, the likeliest first. */
export type Meaning =
  | { by: "name"; namespace: string; name: string }
  | { by: "type"; type: string; namespace: string; name: string }
  | { by: "id"; id: string }
  | { by: "address"; address: string };

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const scheme = "connection://";

/** Reads a reference in any of its forms; empty when it is none. `namespace` is that of whoever refers. */
export function parseReference(reference: string, namespace: string): Meaning[] {
  const text = reference.trim();
  if (uuid.test(text)) return [{ by: "id", id: text.toLowerCase() }];
  if (!text.startsWith(scheme)) return isAddress(text) ? [{ by: "address", address: text }] : [];
  const parts = text.slice(scheme.length).split("/").map(decoded);
  if (parts.some((part) => part === "")) return [];
  const [first = "", second = "", third = ""] = parts;
  switch (parts.length) {
    case 1:
      return uuid.test(first)
        ? [{ by: "id", id: first.toLowerCase() }]
        : [{ by: "name", namespace, name: first }];
    case 2:
      return [
        { by: "name", namespace: first, name: second },
        // Of old, where the type came first.
        ...(connectionType(first)
          ? [{ by: "type" as const, type: first, namespace, name: second }]
          : []),
      ];
    case 3:
      return [
        { by: "type", type: first, namespace: second, name: third },
        { by: "name", namespace: second, name: third },
      ];
    default:
      return [];
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A bare word is the name of something that is not there, and no address. */
const isAddress = (text: string) => /[:/@=.]/.test(text);
