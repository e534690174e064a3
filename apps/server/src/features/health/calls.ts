import { randomBytes } from "node:crypto";
import sql, { empty } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { conflict, notFound, tooMany } from "#platform/errors.ts";
import type { Queryable } from "#platform/db/database.ts";
import { makeDue } from "#platform/jobs/claims.ts";
import { findCheckType, keepingTypes, type ReceivedCall } from "./check-types/index.ts";
import { CANARY_SLOTS } from "./documents/sync-canary.ts";
import { isPausedRow } from "./documents/paused.ts";
import { hashToken } from "./documents/sync-calls.ts";
import { storableJson } from "./results/storable-json.ts";

/** Calls a minute from one address: a data centre behind one address calls often, and guessing is pointless anyway. */
const MOST_CALLS = 6_000;
const WINDOW_MS = 60_000;
const MOST_ADDRESSES = 10_000;
const LONGEST_TOKEN = 512;

export interface CallLimit {
  /** Throws when an address calls too often. */
  count(address: string): void;
}

/** Counts calls per address, per process: enough to make guessing pointless, whatever the number of servers. */
export function createCallLimit(now: () => number = () => performance.now()): CallLimit {
  let calls = new Map<string, number>();
  let began = now();
  return {
    count(address) {
      if (now() - began >= WINDOW_MS) {
        calls = new Map();
        began = now();
      }
      const seen = (calls.get(address) ?? 0) + 1;
      // When very many addresses call at once, all that are new share one count.
      const key = seen === 1 && calls.size >= MOST_ADDRESSES ? "" : address;
      const counted = key === address ? seen : (calls.get(key) ?? 0) + 1;
      calls.set(key, counted);
      if (counted > MOST_CALLS) throw tooMany("Too many calls from this address. Wait a minute.");
    },
  };
}

export interface Call extends ReceivedCall {
  token: string;
  /** Of the check, where the address says it. */
  name?: string;
}

/**
 * Notes that what some check waits for is alive. Checks that look at what the call brings keep that, and are judged at
 * once. Found or not, the work is the same.
 */
export async function noteCall(ctx: Ctx, { token, name, ...brought }: Call): Promise<void> {
  const hash = hashToken(token.slice(0, LONGEST_TOKEN));
  const known = await ctx.db.rows<{ canary_id: string; isKeeping: boolean; isPaused: boolean }>(sql`
    update check_beats b
       set last_beat = now(),
           last_call = case when k.type = any(${[...keepingTypes]}::text[]) then ${storableJson(brought)}::jsonb end
      from checks k join canaries c on c.id = k.canary_id
     where b.token_hash = ${hash} and k.id = b.check_id ${name === undefined ? empty : sql`and k.name = ${name}`}
    returning k.canary_id, k.type = any(${[...keepingTypes]}::text[]) as "isKeeping", ${isPausedRow(sql`c`)} as "isPaused"`);
  if (known.length === 0) throw notFound("No check waits for calls at this address.");
  const due = known.filter(({ isKeeping, isPaused }) => isKeeping && !isPaused);
  if (due.length > 0)
    await makeDue(ctx.db, CANARY_SLOTS, ...new Set(due.map(({ canary_id }) => canary_id)));
}

/** Makes the address at which a check is called anew; it is shown this once, and the one before stops working. */
export async function makeCallUrl(
  ctx: Ctx,
  input: { checkId: string; address: string },
): Promise<{ url: string }> {
  ctx.require("canaries", "write");
  const check = await ctx.db.first<{ type: string; from_spec: boolean | null }>(sql`
    select c.type, b.from_spec from checks c left join check_beats b on b.check_id = c.id
     where c.id = ${input.checkId} and c.deleted_at is null`);
  if (!check || !findCheckType(check.type)?.awaits)
    throw notFound("There is no such check that waits to be called.");
  if (check.from_spec)
    throw conflict("The token of this check is written in its document. Change it there.");
  const token = randomBytes(24).toString("base64url");
  await ctx.db.run(sql`
    insert into check_beats (check_id, token_hash) values (${input.checkId}, ${hashToken(token)})
    on conflict (check_id) do update set token_hash = excluded.token_hash, created_at = now() where not check_beats.from_spec`);
  return { url: `${input.address}/api/canary/beat/${token}` };
}

/** When a check was called last, and what was kept of it. */
export interface LastCall {
  at: Date;
  call?: ReceivedCall;
}

/** The last calls of checks, of those that were called. */
export async function findLastCalls(
  db: Queryable,
  checkIds: readonly string[],
): Promise<Map<string, LastCall>> {
  if (checkIds.length === 0) return new Map();
  const rows = await db.rows<{
    check_id: string;
    last_beat: Date;
    last_call: ReceivedCall | null;
  }>(sql`
    select check_id, last_beat, last_call from check_beats
     where check_id = any(${[...checkIds]}::uuid[]) and last_beat is not null`);
  return new Map(
    rows.map(({ check_id, last_beat, last_call }) => [
      check_id,
      { at: last_beat, ...(last_call && { call: last_call }) },
    ]),
  );
}
