import { hash } from "node:crypto";

/** The id that follows from a name within another id (RFC 9562, version 5): the same whenever it is made. */
export function uuidOf(within: string, ...name: readonly string[]): string {
  const named = Buffer.concat([
    Buffer.from(within.replaceAll("-", ""), "hex"),
    Buffer.from(name.join("\0")),
  ]);
  const bytes = hash("sha1", named, "buffer").subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [8, 12, 16, 20, 32]
    .map((end, place, ends) => hex.slice(ends[place - 1] ?? 0, end))
    .join("-");
}
