import { hash, hashRaw, verify } from "@node-rs/argon2";
import { createGate } from "#platform/gate.ts";

/** Largest password that is looked at, in bytes. */
export const MAX_PASSWORD_BYTES = 1024;

/** OWASP's first choice for argon2id, the library's default algorithm: 19 MiB, two passes. */
export const hashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * Memory and threads are this process's, whoever asks: two at a time are 38 MiB and leave half of the thread pool to
 * files and names. A full queue drains in about a second.
 */
const gate = createGate({ running: 2, waiting: 64 });

/** The hash of a password nobody knows, of the same cost, so that an unknown address takes as long as a known one. */
export const UNKNOWN =
  "$argon2id$v=19$m=19456,t=2,p=1$OYDpE5CEvRpuFFGLZImJWQ$RIa44plTEkVSF2SRNPk6tIa8QMOAM5z7xleSUfqxONs";

export function hashPassword(password: string, signal?: AbortSignal): Promise<string> {
  return gate.run(() => hash(password, hashCost), signal);
}

/** Whether it is the password; false, after the same work, when there is no hash. Throws `GateFull` when too many ask. */
export async function verifyPassword(
  hashed: string | undefined,
  password: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const right = await gate.run(() => verify(hashed ?? UNKNOWN, password), signal);
  return right && hashed !== undefined;
}

/** The bare hash of a short secret, of the same cost, for those that share a salt. Throws `GateFull` when too many ask. */
export function deriveSecret(secret: string, salt: Buffer, signal?: AbortSignal): Promise<Buffer> {
  return gate.run(() => hashRaw(secret, { ...hashCost, salt }), signal);
}
