import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

/** How messages of SMB 2 and 3 are signed and encrypted ([MS-SMB2], sections 3.1.4 and 3.1.5). */

export const dialects = [0x0202, 0x0210, 0x0300, 0x0302, 0x0311] as const;
export type Dialect = (typeof dialects)[number];

/** Of version 3.1.1, agreed on; before it there is the second alone. */
export const ciphers = { "aes-128-gcm": 2, "aes-128-ccm": 1 } as const;
export type Cipher = keyof typeof ciphers;

/** Says who a message is from. Its place in the message is empty while it is made. */
export interface SmbKeys {
  sign(message: Buffer): Buffer;
  /** A message in the envelope that hides it. */
  seal(message: Buffer, sessionId: Buffer): Buffer;
  /** What is in an envelope; nothing when it is not from who knows the key. */
  open(envelope: Buffer): Buffer | undefined;
}

const signatureAt = 48;
export const signatureLength = 16;
export const envelopeLength = 52;
export const envelopeMark = Buffer.from([0xfd, 0x53, 0x4d, 0x42]);
const nonceLengths: Record<Cipher, number> = { "aes-128-gcm": 12, "aes-128-ccm": 11 };

/** One key made of another (NIST SP 800-108, in counter mode). */
export function derive(key: Buffer, label: string, context: Buffer): Buffer {
  const counter = Buffer.from([0, 0, 0, 1]);
  const bits = Buffer.from([0, 0, 0, 128]);
  return createHmac("sha256", key)
    .update(Buffer.concat([counter, Buffer.from(`${label}\0\0`), context, bits]))
    .digest()
    .subarray(0, 16);
}

function doubled(block: Buffer): Buffer {
  const made = Buffer.alloc(16);
  for (let at = 0; at < 16; at += 1)
    made[at] = ((block[at]! << 1) | ((block[at + 1] ?? 0) >> 7)) & 0xff;
  if (block[0]! & 0x80) made[15]! ^= 0x87;
  return made;
}

/** AES-CMAC (RFC 4493): the last block of a chain, into which a key of its own goes. */
export function cmac(key: Buffer, message: Buffer): Buffer {
  const once = createCipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  const whole = doubled(once.update(Buffer.alloc(16)));
  const isWhole = message.length > 0 && message.length % 16 === 0;
  const padding = isWhole ? 0 : 16 - (message.length % 16);
  const padded = Buffer.concat([message, Buffer.alloc(padding)]);
  if (!isWhole) padded[message.length] = 0x80;
  const last = padded.subarray(-16);
  for (const [at, byte] of (isWhole ? whole : doubled(whole)).entries()) last[at]! ^= byte;
  const chain = createCipheriv("aes-128-cbc", key, Buffer.alloc(16)).setAutoPadding(false);
  return chain.update(padded).subarray(-16);
}

interface KeyInput {
  sessionKey: Buffer;
  dialect: Dialect;
  cipher: Cipher;
  /** Of version 3.1.1: the hash of everything that was said before. */
  said: Buffer;
}

/** What each kind of key is made for, by its version: label and context. */
function purposes(
  dialect: Dialect,
  said: Buffer,
): Record<"sign" | "toServer" | "toUs", [string, Buffer]> {
  if (dialect === 0x0311)
    return {
      sign: ["SMBSigningKey", said],
      toServer: ["SMBC2SCipherKey", said],
      toUs: ["SMBS2CCipherKey", said],
    };
  const text = (word: string) => Buffer.from(`${word}\0`);
  return {
    sign: ["SMB2AESCMAC", text("SmbSign")],
    toServer: ["SMB2AESCCM", text("ServerIn ")],
    toUs: ["SMB2AESCCM", text("ServerOut")],
  };
}

export function smbKeys({ sessionKey, dialect, cipher, said }: KeyInput): SmbKeys {
  const purpose = purposes(dialect, said);
  const [signing, toServer, toUs] = [purpose.sign, purpose.toServer, purpose.toUs].map(
    ([label, context]) => derive(sessionKey, label, context),
  ) as [Buffer, Buffer, Buffer];
  const nonceLength = nonceLengths[cipher];
  // Node's types know the two kinds of cipher apart, and the name of this one is found out.
  const options = { authTagLength: signatureLength } as object;
  return {
    sign: (message) =>
      dialect < 0x0300
        ? createHmac("sha256", sessionKey).update(message).digest().subarray(0, signatureLength)
        : cmac(signing, message),
    seal(message, sessionId) {
      const head = Buffer.alloc(envelopeLength);
      envelopeMark.copy(head);
      randomBytes(nonceLength).copy(head, 20);
      head.writeUInt32LE(message.length, 36);
      head.writeUInt16LE(1, 42);
      sessionId.copy(head, 44);
      const nonce = head.subarray(20, 20 + nonceLength);
      const made = createCipheriv(
        cipher as "aes-128-ccm",
        toServer,
        nonce,
        options as { authTagLength: number },
      );
      made.setAAD(head.subarray(20), { plaintextLength: message.length });
      const hidden = Buffer.concat([made.update(message), made.final()]);
      made.getAuthTag().copy(head, 4);
      return Buffer.concat([head, hidden]);
    },
    open(envelope) {
      const nonce = envelope.subarray(20, 20 + nonceLength);
      const hidden = envelope.subarray(envelopeLength);
      const read = createDecipheriv(
        cipher as "aes-128-ccm",
        toUs,
        nonce,
        options as { authTagLength: number },
      );
      read.setAuthTag(envelope.subarray(4, 20));
      read.setAAD(envelope.subarray(20, envelopeLength), { plaintextLength: hidden.length });
      try {
        return Buffer.concat([read.update(hidden), read.final()]);
      } catch {
        return undefined;
      }
    },
  };
}

/** Puts the signature in its place. */
export function signInPlace(message: Buffer, keys: SmbKeys): void {
  message.writeUInt32LE(message.readUInt32LE(16) | 0x8, 16);
  message.fill(0, signatureAt, signatureAt + signatureLength);
  keys.sign(message).copy(message, signatureAt);
}

/** Whether a message is from who knows the key. */
export function isSigned(message: Buffer, keys: SmbKeys): boolean {
  if ((message.readUInt32LE(16) & 0x8) === 0) return false;
  const given = Buffer.from(message.subarray(signatureAt, signatureAt + signatureLength));
  const bare = Buffer.from(message);
  bare.fill(0, signatureAt, signatureAt + signatureLength);
  return timingSafeEqual(keys.sign(bare), given);
}
