import { LRUCache } from "lru-cache";
import { accountKey } from "#platform/address.ts";
import { networkOf } from "#platform/http/network-of.ts";
import { defineService } from "#platform/service.ts";

export interface AttemptLimit {
  /** Takes one attempt: 0 when there was one left, else the seconds until there is. */
  take(key: string): number;
  /** An attempt that turned out to be fine does not count. */
  giveBack(key: string): void;
}

export interface LimitOptions {
  /** Attempts in a row. */
  burst: number;
  /** Time until one comes back. */
  refillMs: number;
  /** Keys remembered; the one not seen for longest is forgotten first. */
  maxKeys?: number;
  /** Milliseconds on a clock that never jumps. */
  now?: () => number;
}

interface Bucket {
  left: number;
  at: number;
}

/** A bucket of attempts per key, in this process's memory: several servers allow as many times more. */
export function createAttemptLimit(options: LimitOptions): AttemptLimit {
  const { burst, refillMs, maxKeys = 20_000, now = () => performance.now() } = options;
  let made: LRUCache<string, Bucket> | undefined;
  /** Takes its memory when it is made, and most servers never need the half of these. */
  const buckets = () => (made ??= new LRUCache<string, Bucket>({ max: maxKeys }));
  const bucketOf = (key: string): Bucket => {
    const at = now();
    const bucket = buckets().get(key);
    return bucket
      ? { left: Math.min(burst, bucket.left + (at - bucket.at) / refillMs), at }
      : { left: burst, at };
  };
  return {
    take(key) {
      const bucket = bucketOf(key);
      const allowed = bucket.left >= 1;
      if (allowed) bucket.left -= 1;
      buckets().set(key, bucket);
      return allowed ? 0 : Math.max(1, Math.ceil(((1 - bucket.left) * refillMs) / 1000));
    },
    giveBack(key) {
      const bucket = bucketOf(key);
      buckets().set(key, { ...bucket, left: Math.min(burst, bucket.left + 1) });
    },
  };
}

export interface SignInLimits {
  /** Seconds to wait before this address may try this account; 0 when it may now, and then the attempt is counted. */
  take(ip: string, identifier: string): number;
  giveBack(ip: string, identifier: string): void;
  /** The same for starting a flow, which writes a row. */
  takeFlow(ip: string): number;
  /** The same for a mail to an account, known or not. */
  takeMail(ip: string, address: string): number;
  /** The same for choosing a password, which costs as much as signing in. */
  takeNewPassword(ip: string): number;
  /** The same for a short code, which only who has the first factor may try; also per person, whatever the address. */
  takeGuess(ip: string, identityId: string): number;
  giveGuessBack(ip: string, identityId: string): void;
  /** The same for a code that was mailed: counted per mailed address alone, wherever the tries come from. */
  takeCode(address: string): number;
  giveCodeBack(address: string): void;
}

/**
 * Attempts are counted per address and per address and account: nobody can lock another person out from elsewhere. The
 * address comes first, so that one sender cannot fill the memory with accounts. Short codes are counted per person, too,
 * as there are few of them: who is kept from typing a mailed code still has the link in the same mail, or the password.
 */
export function createSignInLimits(now?: () => number): SignInLimits {
  const perAddress = createAttemptLimit({ burst: 100, refillMs: 6_000, now });
  const perAccount = createAttemptLimit({ burst: 10, refillMs: 30_000, now });
  const perFlow = createAttemptLimit({ burst: 300, refillMs: 200, now });
  const newPasswords = createAttemptLimit({ burst: 100, refillMs: 6_000, now });
  const mailsPerAddress = createAttemptLimit({ burst: 30, refillMs: 60_000, now });
  const mailsPerAccount = createAttemptLimit({ burst: 5, refillMs: 5 * 60_000, now });
  const perGuesser = createAttemptLimit({ burst: 5, refillMs: 30_000, now });
  // Of a million codes three are right: a day of guessing from everywhere is right once in a thousand times.
  const perPerson = createAttemptLimit({ burst: 50, refillMs: 300_000, now });
  // One of a million is right, and a new network costs nothing: a day of guessing is right once in two thousand times.
  const mailedCodes = createAttemptLimit({ burst: 200, refillMs: 300_000, now });
  const account = (ip: string, identifier: string) => `${networkOf(ip)} ${accountKey(identifier)}`;
  return {
    take(ip, identifier) {
      const wait = perAddress.take(networkOf(ip));
      if (wait > 0) return wait;
      const accountWait = perAccount.take(account(ip, identifier));
      if (accountWait > 0) perAddress.giveBack(networkOf(ip));
      return accountWait;
    },
    giveBack(ip, identifier) {
      perAddress.giveBack(networkOf(ip));
      perAccount.giveBack(account(ip, identifier));
    },
    takeFlow: (ip) => perFlow.take(networkOf(ip)),
    takeNewPassword: (ip) => newPasswords.take(networkOf(ip)),
    takeMail(ip, address) {
      const wait = mailsPerAddress.take(networkOf(ip));
      if (wait > 0) return wait;
      const accountWait = mailsPerAccount.take(account(ip, address));
      if (accountWait > 0) mailsPerAddress.giveBack(networkOf(ip));
      return accountWait;
    },
    takeGuess(ip, identityId) {
      const wait = perGuesser.take(account(ip, identityId));
      if (wait > 0) return wait;
      const personWait = perPerson.take(identityId);
      if (personWait > 0) perGuesser.giveBack(account(ip, identityId));
      return personWait;
    },
    giveGuessBack(ip, identityId) {
      perGuesser.giveBack(account(ip, identityId));
      perPerson.giveBack(identityId);
    },
    takeCode: (address) => mailedCodes.take(accountKey(address)),
    giveCodeBack: (address) => mailedCodes.giveBack(accountKey(address)),
  };
}

/** Those of this process: whichever way somebody tries, it is the same attempts. */
export const signInLimits = defineService("sign-in limits", () => createSignInLimits());
