import { createHash } from "node:crypto";

/**
 * Ids of lines whose program gives them none: what they say, and which of several that say the same it is, in whatever
 * order they come. Made anew for every answer, which holds all lines of a moment or the first of them.
 */
export function lineIds(): (nanos: bigint, said: readonly unknown[]) => string {
  const alike = new Map<string, number>();
  return (nanos, said) => {
    const digest = createHash("sha1").update(JSON.stringify(said)).digest("base64url").slice(0, 16);
    const id = `${nanos}-${digest}`;
    const place = (alike.get(id) ?? 0) + 1;
    alike.set(id, place);
    return place === 1 ? id : `${id}-${place}`;
  };
}
