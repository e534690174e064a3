import { narrowRoles, type Role, effectiveRoles, type TokenKind } from "@mainstay/contract";
import { LRUCache } from "lru-cache";
import sql, { type Sql } from "sql-template-tag";
import { createAttemptLimit } from "#features/identity/index.ts";
import { createGate, GateFull } from "#platform/gate.ts";
import type { Clock } from "#platform/clock.ts";
import type { Database } from "#platform/db/database.ts";
import { tooMany, unavailable } from "#platform/errors.ts";
import { networkOf } from "#platform/http/network-of.ts";
import { isSameSecret } from "#platform/same-secret.ts";
import { fingerprint, hashToken, parseToken, type TokenText } from "./token-text.ts";

/** `last_used_at` is written at most this often. */
const USED_EVERY_MS = 60_000;

export interface FoundToken {
  id: string;
  name: string;
  kind: TokenKind;
  isExpired: boolean;
  expiresAt: Date | null;
  person: { id: string; name: string; email: string | null };
  /** What it may do now: its owner's roles, and its own limit. */
  roles: Role[];
}

export interface TokenFinder {
  /** The token of a text, expired or not; undefined when there is none, or its owner is not active any more. */
  find(text: string, address: string): Promise<FoundToken | undefined>;
}

interface Row {
  id: string;
  name: string;
  kind: TokenKind;
  value: string;
  salt: string | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  roles: string[] | null;
  owner_roles: string[];
  person: FoundToken["person"];
}

/** Asks the database every time, so that what was revoked, or taken from the owner, counts at once. */
export function createTokenFinder({ db, clock }: { db: Database; clock: Clock }): TokenFinder {
  // The slow hash is paid once in this process: after that its text is known by a fast one.
  const verified = new LRUCache<string, { id: string; value: string }>({ max: 10_000 });
  // 64 MiB a time, and all of the processor.
  const gate = createGate({ running: 1, waiting: 32 });
  const attempts = createAttemptLimit({ burst: 30, refillMs: 2_000 });

  async function verify(token: TokenText, address: string): Promise<Row | undefined> {
    const candidates = await load(db, sql`t.salt = ${token.salt} or t.salt is null`);
    // A salt that no token has costs nothing: guesses are turned away here.
    if (candidates.length === 0) return undefined;
    // Per token, so that one address's guesses at one keep no other out; rows without a salt may be anybody's.
    const isOwnSalt = candidates.every((one) => one.salt !== null);
    const key = isOwnSalt ? `${networkOf(address)} ${token.salt}` : networkOf(address);
    const wait = attempts.take(key);
    if (wait > 0)
      throw tooMany(
        `Too many wrong access tokens from this address. Try again in ${wait} seconds.`,
      );
    const value = await gate.run(() => hashToken(token)).catch(busy);
    const row = candidates.find((one) => isSameSecret(one.value, value));
    if (!row) return undefined;
    attempts.giveBack(key);
    if (row.salt === null)
      await db.run(sql`update access_tokens set salt = ${token.salt} where id = ${row.id}`);
    return row;
  }

  return {
    async find(text, address) {
      const token = parseToken(text);
      if (!token) return undefined;
      const mark = fingerprint(text);
      const known = verified.get(mark);
      const row = known
        ? (await load(db, sql`t.id = ${known.id} and t.value = ${known.value}`))[0]
        : await verify(token, address);
      if (!row) {
        verified.delete(mark);
        return undefined;
      }
      verified.set(mark, { id: row.id, value: row.value });
      const now = clock.now();
      const isExpired = row.expires_at !== null && row.expires_at <= now;
      if (!isExpired && now.getTime() - (row.last_used_at?.getTime() ?? 0) >= USED_EVERY_MS)
        await db.run(sql`update access_tokens set last_used_at = ${now} where id = ${row.id}`);
      const { id, name, kind, person } = row;
      const limit = row.roles && effectiveRoles(row.roles);
      return {
        id,
        name,
        kind,
        isExpired,
        expiresAt: row.expires_at,
        person,
        roles: narrowRoles(effectiveRoles(row.owner_roles), limit),
      };
    },
  };
}

function load(db: Database, which: Sql): Promise<Row[]> {
  return db.rows<Row>(sql`
    select t.id, t.name, t.kind, t.value, t.salt, t.expires_at, t.last_used_at, t.roles,
           jsonb_build_object('id', p.id, 'name', p.name, 'email', p.email) as person,
           array(select v1 from casbin_rule where ptype = 'g' and v0 = p.id::text) as owner_roles
      from access_tokens t
      join people p on p.id = t.person_id and p.deleted_at is null
      left join identities i on i.id = p.id
     where (${which}) and (i.id is null or i.state = 'active')`);
}

function busy(error: unknown): never {
  if (error instanceof GateFull)
    throw unavailable("Too many access tokens are being checked at the moment. Please try again.");
  throw error;
}
