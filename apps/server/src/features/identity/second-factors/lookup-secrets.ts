import { randomBytes, randomInt } from "node:crypto";
import { isSameSecret } from "#platform/same-secret.ts";
import { deriveSecret } from "../password/passwords.ts";

/**
 * Codes to keep on paper, each good for one sign-in. They are checked against slow hashes, which need no key: the way
 * back in stays open when the server's encryption key is lost. One salt for the whole set, so that a guess costs one
 * hash and not twelve.
 */
export interface HashedLookupSecrets {
  /** Base64, of this set. */
  salt: string;
  secrets: { hash: string; used_at?: string }[];
}

export const LOOKUP_SECRETS = 12;
/** Without the signs that are taken for one another. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";
/** 49 bits, behind a limit of guesses. */
const LENGTH = 10;

const secretShape = /^[a-z0-9]{10}$/;

/** A new set, written as they are shown: `abcde-fghjk`. */
export function makeLookupSecrets(): string[] {
  const made = new Set<string>();
  while (made.size < LOOKUP_SECRETS) made.add(makeOne());
  return [...made];
}

function makeOne(): string {
  const signs = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return `${signs.slice(0, LENGTH / 2)}-${signs.slice(LENGTH / 2)}`;
}

export async function hashLookupSecrets(secrets: readonly string[]): Promise<HashedLookupSecrets> {
  const salt = randomBytes(16);
  const hashed: HashedLookupSecrets["secrets"] = [];
  // One after the other: others sign in meanwhile.
  for (const secret of secrets) {
    const hash = await deriveSecret(plain(secret), salt);
    hashed.push({ hash: hash.toString("base64") });
  }
  return { salt: salt.toString("base64"), secrets: hashed };
}

/** Which of the set it is, used or not; undefined when it is none. Throws `GateFull` when too many ask. */
export async function findLookupSecret(
  set: HashedLookupSecrets,
  given: string,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const secret = plain(given);
  if (!secretShape.test(secret)) return undefined;
  const derived = await deriveSecret(secret, Buffer.from(set.salt, "base64"), signal);
  const hash = derived.toString("base64");
  const index = set.secrets.findIndex((kept) => isSameSecret(kept.hash, hash));
  return index === -1 ? undefined : index;
}

/** As people copy them: with spaces, without the dash, in capitals. */
const plain = (secret: string): string => secret.toLowerCase().replaceAll(/[\s-]/g, "");
