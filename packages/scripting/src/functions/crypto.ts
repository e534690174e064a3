import { createHash, randomBytes, randomUUID } from "node:crypto";
import { utf8 } from "./go-format.ts";

const bytesOf = (value: Uint8Array | string): Uint8Array =>
  typeof value === "string" ? utf8(value) : value;

const digest = (algorithm: string, value: Uint8Array | string): string =>
  createHash(algorithm).update(bytesOf(value)).digest("hex");

export const hashes = {
  SHA1: (value: Uint8Array | string): string => digest("sha1", value),
  SHA224: (value: Uint8Array | string): string => digest("sha224", value),
  SHA256: (value: Uint8Array | string): string => digest("sha256", value),
  SHA384: (value: Uint8Array | string): string => digest("sha384", value),
  SHA512: (value: Uint8Array | string): string => digest("sha512", value),
  SHA512_224: (value: Uint8Array | string): string => digest("sha512-224", value),
  SHA512_256: (value: Uint8Array | string): string => digest("sha512-256", value),
} as const;

export const base64Encode = (value: Uint8Array | string): string =>
  Buffer.from(bytesOf(value)).toString("base64");

/** Of the standard alphabet or that for addresses. */
export function base64Decode(text: string): Uint8Array {
  const bare = text.replace(/[\r\n]/g, "");
  const standard = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(bare);
  const forAddresses =
    /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}(?:==)?|[A-Za-z0-9_-]{3}=?)?$/.test(bare);
  if (!standard && !forAddresses) throw new Error("illegal base64 data");
  return new Uint8Array(Buffer.from(bare, standard ? "base64" : "base64url"));
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const uuidV4 = (): string => randomUUID();
export const uuidNil = "00000000-0000-0000-0000-000000000000";

/** Of the clock and a random node, since the machine's own address is nobody's business. */
export function uuidV1(now: number = Date.now()): string {
  // Tenths of microseconds since 1582, the version in the highest bits.
  const ticks =
    BigInt(now) * 10_000n +
    122_192_928_000_000_000n +
    BigInt(randomBytes(2).readUInt16BE() % 10_000);
  const hex = ticks.toString(16).padStart(15, "0");
  const rest = randomBytes(8);
  rest[0] = ((rest[0] ?? 0) & 0x3f) | 0x80;
  rest[2] = (rest[2] ?? 0) | 1;
  const node = rest.toString("hex");
  return `${hex.slice(7)}-${hex.slice(3, 7)}-1${hex.slice(0, 3)}-${node.slice(0, 4)}-${node.slice(4)}`;
}

/** With dashes, in small letters; `urn:uuid:`, braces and no dashes are understood. */
export function uuidParse(text: string): string {
  const bare = text.replace(/^urn:uuid:/i, "").replace(/^\{(.*)\}$/, "$1");
  const dashed = /^[0-9a-f]{32}$/i.test(bare)
    ? bare.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
    : bare;
  if (!uuidPattern.test(dashed)) throw new Error(`invalid UUID ${JSON.stringify(text)}`);
  return dashed.toLowerCase();
}

export function isUuid(text: string): boolean {
  try {
    return uuidParse(text) !== "";
  } catch {
    return false;
  }
}
