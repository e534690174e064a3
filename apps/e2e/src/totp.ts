import { createHmac } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * What an authenticator app shows for a secret, so many steps from now (RFC 6238: SHA-1, six digits, 30 seconds). Not
 * by the server's own library, which would agree with itself.
 */
export function totp(secret: string, steps = 0): string {
  const bits = Array.from(secret, (sign) => alphabet.indexOf(sign).toString(2).padStart(5, "0"));
  const bytes = bits.join("").match(/.{8}/g)!;
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
  const hash = createHmac("sha1", key).update(counter).digest();
  const number = hash.readUInt32BE(hash.at(-1)! & 0xf) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}
