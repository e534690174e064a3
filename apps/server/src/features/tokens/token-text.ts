import { createHash, randomBytes } from "node:crypto";
import { hashRaw } from "@node-rs/argon2";

/**
 * The text of an access token is `password.salt.time.memory.parallelism`; kept is base64url of argon2id over the
 * password, under the salt as it is written. Clients and databases of the reference know both forms.
 */

const COST = { timeCost: 1, memoryCost: 65_536, parallelism: 4, outputLen: 20 } as const;
const suffix = `${COST.timeCost}.${COST.memoryCost}.${COST.parallelism}`;
/** Says to people and to programs that look for leaked secrets whose token this is. */
const PREFIX = "mst_";
const MAX_LENGTH = 512;

export interface TokenText {
  password: string;
  salt: string;
}

/** The parts of a text that has the shape of an access token. Another cost than ours is none: it would be the sender's to choose. */
export function parseToken(text: string): TokenText | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, password, salt, cost] =
    /^([\w+/=-]+)\.([\w+/=-]{8,})\.(\d+\.\d+\.\d+)$/.exec(text) ?? [];
  return password && salt && cost === suffix ? { password, salt } : undefined;
}

export function makeToken(): { text: string } & TokenText {
  const password = PREFIX + randomBytes(32).toString("base64url");
  const salt = randomBytes(12).toString("base64url");
  return { text: `${password}.${salt}.${suffix}`, password, salt };
}

export async function hashToken({ password, salt }: TokenText): Promise<string> {
  const raw = await hashRaw(password, { ...COST, salt: Buffer.from(salt) });
  return withPadding(raw.toString("base64url"));
}

/** As the reference writes it. */
const withPadding = (text: string) => text.padEnd(Math.ceil(text.length / 4) * 4, "=");

/** By which a text that was found good is known again, without keeping it. */
export const fingerprint = (text: string): string =>
  createHash("sha256").update(text).digest("base64url");
