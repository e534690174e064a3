import { createRequire } from "node:module";
import type * as Argon2 from "@node-rs/argon2";
import { hashCost } from "#features/identity/password/passwords.ts";

/**
 * Stands in for the library where passwords are hashed on the way to something else: at the product's cost that is a
 * fifth of what such tests take. Hashes of another cost are made as they are asked for. A file that judges the hashing
 * mocks the library, and runs in the project that has it as it is.
 */
const argon2 = createRequire(import.meta.url)("@node-rs/argon2") as typeof Argon2;

const quick = <O extends Argon2.Options>(options?: O | null) =>
  options?.memoryCost === hashCost.memoryCost
    ? { ...options, memoryCost: 8, timeCost: 1 }
    : options;

export const hash: typeof argon2.hash = (password, options, signal) =>
  argon2.hash(password, quick(options), signal);
export const hashRaw: typeof argon2.hashRaw = (password, options, signal) =>
  argon2.hashRaw(password, quick(options), signal);
export const { verify, parseOptions } = argon2;
