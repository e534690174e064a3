import { createCipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import { md4 } from "./md4.ts";

/** The messages of NTLM, as [MS-NLMP] describes them. Only signing in: what is signed afterwards, the caller signs. */

const signature = Buffer.from("NTLMSSP\0", "latin1");
const flags = {
  unicode: 0x1,
  oem: 0x2,
  requestTarget: 0x4,
  sign: 0x10,
  ntlm: 0x200,
  anonymous: 0x800,
  alwaysSign: 0x8000,
  extendedSecurity: 0x80000,
  targetInfo: 0x800000,
  keysOf128Bits: 0x20000000,
} as const;
const asked =
  flags.unicode |
  flags.oem |
  flags.requestTarget |
  flags.ntlm |
  flags.alwaysSign |
  flags.extendedSecurity;
/** Where a key of the session is wanted, too. */
const askedForKeys = asked | flags.sign | flags.keysOf128Bits;
const timestampPair = 7;

const wide = (text: string) => Buffer.from(text, "utf16le");
const hmac = (key: Buffer, ...parts: Buffer[]) =>
  createHmac("md5", key).update(Buffer.concat(parts)).digest();

/** The first message: what is spoken. */
export function ntlmNegotiate({ isForKeys = false } = {}): Buffer {
  const message = Buffer.alloc(32);
  signature.copy(message);
  message.writeUInt32LE(1, 8);
  message.writeUInt32LE(isForKeys ? askedForKeys : asked, 12);
  return message;
}

export interface NtlmChallenge {
  flags: number;
  challenge: Buffer;
  /** Pairs that describe the server; absent from very old ones. */
  targetInfo?: Buffer;
}

/** Reads the second message; undefined when it is none. */
export function readNtlmChallenge(message: Buffer): NtlmChallenge | undefined {
  if (message.length < 32 || !message.subarray(0, 8).equals(signature)) return undefined;
  if (message.readUInt32LE(8) !== 2) return undefined;
  const read = { flags: message.readUInt32LE(20), challenge: message.subarray(24, 32) };
  if ((read.flags & flags.targetInfo) === 0 || message.length < 48) return read;
  const [length, offset] = [message.readUInt16LE(40), message.readUInt32LE(44)];
  if (offset + length > message.length) return undefined;
  return { ...read, targetInfo: message.subarray(offset, offset + length) };
}

/** The server's clock in its pairs, as it wrote it. */
function timestampOf(targetInfo: Buffer): Buffer | undefined {
  for (let at = 0; at + 4 <= targetInfo.length;) {
    const [id, length] = [targetInfo.readUInt16LE(at), targetInfo.readUInt16LE(at + 2)];
    if (id === timestampPair && length === 8 && at + 12 <= targetInfo.length)
      return targetInfo.subarray(at + 4, at + 12);
    if (id === 0) return undefined;
    at += 4 + length;
  }
  return undefined;
}

function fileTime(now: Date): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE((BigInt(now.getTime()) + 11_644_473_600_000n) * 10_000n);
  return time;
}

/** The seven-byte pieces of a hash as keys of DES, each its own three keys: OpenSSL has no single DES any more. */
function desResponse(hash: Buffer, challenge: Buffer): Buffer {
  const padded = Buffer.concat([hash, Buffer.alloc(5)]);
  const pieces = [0, 7, 14].map((from) => {
    const bits = BigInt(`0x${padded.subarray(from, from + 7).toString("hex")}`);
    const key = Buffer.from(
      Array.from({ length: 8 }, (_, index) => Number((bits >> BigInt(49 - 7 * index)) & 127n) << 1),
    );
    const cipher = createCipheriv("des-ede3-ecb", Buffer.concat([key, key, key]), null);
    cipher.setAutoPadding(false);
    return cipher.update(challenge);
  });
  return Buffer.concat(pieces);
}

export interface NtlmLogin {
  /** `DOMAIN\user`, `user@domain` or a bare name. */
  username: string;
  password: string;
}

/** The domain and the name in a user name. */
export function splitLogin(username: string): { domain: string; user: string } {
  const [, domain = "", user = username] = /^([^\\/]*)[\\/](.*)$/s.exec(username) ?? [];
  return { domain, user };
}

interface ResponseInput {
  server: NtlmChallenge;
  login: NtlmLogin;
  clientChallenge: Buffer;
  now: Date;
}

/** The two responses of version 2, which every server since Windows NT 4 takes. */
export function respondV2({ server, login, clientChallenge, now }: ResponseInput) {
  const { domain, user } = splitLogin(login.username);
  const key = hmac(md4(wide(login.password)), wide(user.toUpperCase() + domain));
  const targetInfo = server.targetInfo ?? Buffer.alloc(4);
  const theirs = timestampOf(targetInfo);
  const blob = Buffer.concat([
    Buffer.from([1, 1, 0, 0, 0, 0, 0, 0]),
    theirs ?? fileTime(now),
    clientChallenge,
    Buffer.alloc(4),
    targetInfo,
    Buffer.alloc(4),
  ]);
  const proof = hmac(key, server.challenge, blob);
  return {
    sessionKey: hmac(key, proof),
    nt: Buffer.concat([proof, blob]),
    lm: theirs
      ? Buffer.alloc(24)
      : Buffer.concat([hmac(key, server.challenge, clientChallenge), clientChallenge]),
  };
}

/** The two responses of version 1; the second says the client's part where extended security is spoken. */
export function respondV1({ server, login, clientChallenge }: Omit<ResponseInput, "now">) {
  const hash = md4(wide(login.password));
  if ((server.flags & flags.extendedSecurity) === 0) {
    const nt = desResponse(hash, server.challenge);
    // The response made of the weaker hash is never sent.
    return { nt, lm: nt };
  }
  const both = createHash("md5").update(Buffer.concat([server.challenge, clientChallenge]));
  return {
    nt: desResponse(hash, both.digest().subarray(0, 8)),
    lm: Buffer.concat([clientChallenge, Buffer.alloc(16)]),
  };
}

export interface AuthenticateInput {
  server: NtlmChallenge;
  login: NtlmLogin;
  /** Version 2 whatever the server says of itself; else it is used where the server describes itself. */
  isV2Only: boolean;
}

/** The third message: who asks. */
export function ntlmAuthenticate({ server, login, isV2Only }: AuthenticateInput): Buffer {
  const input = { server, login, clientChallenge: randomBytes(8), now: new Date() };
  const responses = isV2Only || server.targetInfo ? respondV2(input) : respondV1(input);
  return thirdMessage(responses, { server, login, wanted: asked });
}

/**
 * The third message of version 2, and the key that both sides know when it is believed; that of nobody in particular
 * where there is no name.
 */
export function ntlmSession({
  server,
  login,
  workstation,
}: Omit<AuthenticateInput, "isV2Only"> & { workstation?: string | undefined }) {
  if (login.username === "") {
    const nobody = { nt: Buffer.alloc(0), lm: Buffer.alloc(1) };
    const wanted = askedForKeys | flags.anonymous;
    return { message: thirdMessage(nobody, { server, login, workstation, wanted }) };
  }
  const input = { server, login, clientChallenge: randomBytes(8), now: new Date() };
  const { sessionKey, ...responses } = respondV2(input);
  const about = { server, login, workstation, wanted: askedForKeys };
  return { message: thirdMessage(responses, about), sessionKey };
}

interface About {
  server: NtlmChallenge;
  login: NtlmLogin;
  workstation?: string | undefined;
  wanted: number;
}

function thirdMessage(
  { nt, lm }: { nt: Buffer; lm: Buffer },
  { server, login, workstation = "mainstay", wanted }: About,
): Buffer {
  const isWide = (server.flags & flags.unicode) !== 0;
  const { domain, user } = splitLogin(login.username);
  const text = (value: string) => (isWide ? wide(value) : Buffer.from(value, "latin1"));
  const parts = [lm, nt, text(domain), text(user), text(workstation), Buffer.alloc(0)];
  const head = Buffer.alloc(64);
  signature.copy(head);
  head.writeUInt32LE(3, 8);
  let offset = head.length;
  for (const [index, part] of parts.entries()) {
    const at = 12 + index * 8;
    head.writeUInt16LE(part.length, at);
    head.writeUInt16LE(part.length, at + 2);
    head.writeUInt32LE(offset, at + 4);
    offset += part.length;
  }
  const spoken = wanted & server.flags & ~(isWide ? flags.oem : flags.unicode);
  head.writeUInt32LE(spoken | flags.ntlm | (wanted & flags.anonymous), 60);
  return Buffer.concat([head, ...parts]);
}
