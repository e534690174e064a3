import sql, { type Sql } from "sql-template-tag";
import { invalid } from "../errors.ts";
import type { Database, Queryable } from "../db/database.ts";
import type { Log } from "../log.ts";
import { nextSlot, SCHEDULES_CHANGED, type SlotRule } from "./slots.ts";

/** One slot of one row, held by this worker until it is released. */
export interface Claim {
  kind: string;
  key: string;
  /** The slot that is run: in the past by the lag or by the downtime when slots were missed, ahead by the kind's lead. */
  slot: Date;
  /** When the database gave it out; names this claim among all of the row. */
  claimedAt: Date;
  /** The slot after this one. */
  nextAt: Date | undefined;
  /** Aborted when the server stops, or when the claim may have gone to somebody else. */
  signal: AbortSignal;
}

export interface ScheduleEntry {
  kind: string;
  key: string;
  schedule: string;
  timeZone?: string | null;
  /** A sooner first slot, for a row that is new or whose schedule has changed. */
  firstAt?: Date;
}

/**
 * Makes or changes rows of `schedules`, in the caller's transaction. A row whose schedule stays the same keeps its
 * next slot. Throws `invalid` when a schedule does not parse.
 */
export async function setSchedules(tx: Queryable, ...entries: ScheduleEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const now = (await tx.first<{ now: Date }>(sql`select now()`))?.now ?? new Date();
  const nexts = entries.map(({ kind, key, schedule, timeZone = null, firstAt }) => {
    let slot: Date | undefined;
    try {
      slot = nextSlot({ kind, key, schedule, timeZone }, now);
    } catch (error) {
      throw invalid((error as Error).message);
    }
    return firstAt && (!slot || firstAt < slot) ? firstAt : (slot ?? null);
  });
  await tx.run(sql`
    insert into schedules as s (kind, key, schedule, time_zone, next_at)
    select * from unnest(${entries.map((entry) => entry.kind)}::text[], ${entries.map((entry) => entry.key)}::text[],
      ${entries.map((entry) => entry.schedule)}::text[], ${entries.map((entry) => entry.timeZone ?? null)}::text[], ${nexts}::timestamptz[])
    on conflict (kind, key) do update
       set schedule = excluded.schedule, time_zone = excluded.time_zone, next_at = excluded.next_at
     where (s.schedule, s.time_zone) is distinct from (excluded.schedule, excluded.time_zone)`);
  await announce(tx);
}

/** Removes rows of `schedules`, in the caller's transaction. A run that is going on ends by itself. */
export async function removeSchedules(
  tx: Queryable,
  kind: string,
  ...keys: string[]
): Promise<void> {
  await tx.run(sql`delete from schedules where kind = ${kind} and key = any(${keys}::text[])`);
}

/** Makes rows due now, whatever their schedule; a row that is being run comes due again after it. */
export async function makeDue(tx: Queryable, kind: string, ...keys: string[]): Promise<void> {
  await tx.run(
    sql`update schedules set next_at = least(next_at, now()) where kind = ${kind} and key = any(${keys}::text[])`,
  );
  await announce(tx);
}

const announce = (tx: Queryable) => tx.run(sql`select pg_notify(${SCHEDULES_CHANGED}, '')`);

interface Row extends SlotRule {
  next_at: Date;
}

const ruleColumns = sql`kind, key, schedule, time_zone as "timeZone"`;

/** The database's time and, when nothing is due, how long it will be until something is. */
export async function lookAhead(
  db: Queryable,
  kind: string,
): Promise<{ now: Date; nextAt: Date | null }> {
  const row = await db.first<{ now: Date; next_at: Date | null }>(
    sql`
    select now() as now, (select min(next_at) from schedules
       where kind = ${kind} and next_at is not null and claimed_by is null) as next_at`,
    { preparedAs: "look-ahead" },
  );
  if (!row) throw new Error("The database did not say what time it is.");
  return { now: row.now, nextAt: row.next_at };
}

export interface ClaimOptions {
  kind: string;
  workerId: string;
  limit: number;
  /** Slots that come within this long are claimed too. */
  leadMs: number;
  except: readonly string[];
  log: Log;
}

/**
 * Takes up to `limit` due slots for this worker, earliest first, and moves each row on to its first slot after that,
 * and after now: what was missed in between is a gap and is not made up for.
 */
export async function claimDue(
  db: Database,
  options: ClaimOptions,
): Promise<Omit<Claim, "signal">[]> {
  const { kind, workerId, limit, leadMs, except, log } = options;
  return db.transaction(async (tx) => {
    const rows = await tx.rows<Row & { now: Date }>(
      sql`
      select ${ruleColumns}, next_at, date_trunc('milliseconds', now()) as now from schedules
       where kind = ${kind} and next_at <= now() + make_interval(secs => ${leadMs / 1000}) and next_at is not null
         and claimed_by is null and key <> all(${[...except]}::text[])
       order by next_at limit ${limit} for update skip locked`,
      { preparedAs: "claim-due" },
    );
    const first = rows[0];
    if (!first) return [];
    const claims = rows.map((row) => ({
      kind,
      key: row.key,
      slot: row.next_at,
      claimedAt: row.now,
      nextAt: slotAfter(row, row.next_at > row.now ? row.next_at : row.now, log),
    }));
    await tx.run(
      sql`
      update schedules s set slot = s.next_at, next_at = c.next_at, claimed_by = ${workerId}, claimed_at = ${first.now}
        from unnest(${claims.map((claim) => claim.key)}::text[], ${claims.map((claim) => claim.nextAt ?? null)}::timestamptz[]) c (key, next_at)
       where s.kind = ${kind} and s.key = c.key`,
      { preparedAs: "hand-out-claims" },
    );
    return claims;
  });
}

/** A schedule that no longer parses must not stop the others; its row sleeps until it is set again. */
function slotAfter(rule: SlotRule, after: Date, log: Log): Date | undefined {
  try {
    return nextSlot(rule, after);
  } catch (error) {
    log.error(
      { err: error, kind: rule.kind, key: rule.key },
      "a schedule cannot be read; it will not run again until it is set anew",
    );
    return undefined;
  }
}

/**
 * Takes a row out of turn, unless somebody runs it: the slots go on as they were. Let go with `releaseSql`.
 * Returns undefined when the row is being run or does not exist.
 */
export async function claimNow(
  db: Queryable,
  options: { kind: string; key: string; workerId: string; signal: AbortSignal },
): Promise<Claim | undefined> {
  const { kind, key, workerId, signal } = options;
  // Without a slot, by which it is told from the claims of the scheduler.
  const row = await db.first<{ claimed_at: Date; next_at: Date | null }>(sql`
    update schedules set claimed_by = ${workerId}, claimed_at = date_trunc('milliseconds', now())
     where kind = ${kind} and key = ${key} and claimed_by is null returning claimed_at, next_at`);
  if (!row) return undefined;
  return {
    kind,
    key,
    slot: row.claimed_at,
    claimedAt: row.claimed_at,
    nextAt: row.next_at ?? undefined,
    signal,
  };
}

/** Lets the given claims go; those that are still this worker's are returned by key, the others had been lost. */
export function releaseSql(workerId: string, claims: readonly Claim[]): Sql {
  return sql`
    update schedules s set slot = null, claimed_by = null, claimed_at = null
      from unnest(${claims.map((claim) => claim.kind)}::text[], ${claims.map((claim) => claim.key)}::text[],
                  ${claims.map((claim) => claim.claimedAt)}::timestamptz[]) c (kind, key, claimed_at)
     where s.kind = c.kind and s.key = c.key and s.claimed_by = ${workerId} and s.claimed_at = c.claimed_at
    returning s.kind, s.key`;
}

/** Moves held rows on whose next slot has come while they still run; returns the slots that were passed over. */
export async function skipPassed(
  db: Database,
  options: { kind: string; workerId: string; keys: readonly string[]; log: Log },
): Promise<{ key: string; slot: Date; nextAt: Date | undefined }[]> {
  const { kind, workerId, keys, log } = options;
  return db.transaction(async (tx) => {
    const rows = await tx.rows<Row & { now: Date }>(sql`
      select ${ruleColumns}, next_at, now() as now from schedules
       where kind = ${kind} and key = any(${[...keys]}::text[]) and claimed_by = ${workerId} and next_at <= now()
         for update skip locked`);
    if (rows.length === 0) return [];
    const skipped = rows.map((row) => ({
      key: row.key,
      slot: row.next_at,
      nextAt: slotAfter(row, row.now, log),
    }));
    await tx.run(sql`
      update schedules s set next_at = c.next_at
        from unnest(${skipped.map((row) => row.key)}::text[], ${skipped.map((row) => row.nextAt ?? null)}::timestamptz[]) c (key, next_at)
       where s.kind = ${kind} and s.key = c.key`);
    return skipped;
  });
}

/**
 * Pulls in next slots that lie further ahead than the schedule allows, as they do after the database's clock went
 * back; not of rows whose slot is claimed ahead of its time. Reads the kind in portions.
 */
export async function pullIn(
  db: Database,
  { kind, leadMs, log }: Pick<ClaimOptions, "kind" | "leadMs" | "log">,
): Promise<number> {
  const portion = 1_000;
  let pulled = 0;
  for (let after = ""; ;) {
    const rows = await db.rows<Row & { now: Date }>(sql`
      select ${ruleColumns}, next_at, now() as now from schedules
       where kind = ${kind} and key > ${after} and next_at is not null
         and (slot is null or slot not between now() and now() + make_interval(secs => ${leadMs / 1000}))
       order by key limit ${portion}`);
    const late: { key: string; before: Date; nextAt: Date }[] = [];
    for (const row of rows) {
      const nextAt = slotAfter(row, row.now, log);
      if (nextAt && nextAt < row.next_at) late.push({ key: row.key, before: row.next_at, nextAt });
    }
    // A row that another worker has moved meanwhile is right already.
    if (late.length > 0) {
      pulled += await db.run(sql`
        update schedules s set next_at = c.next_at
          from unnest(${late.map((row) => row.key)}::text[], ${late.map((row) => row.before)}::timestamptz[],
                      ${late.map((row) => row.nextAt)}::timestamptz[]) c (key, before, next_at)
         where s.kind = ${kind} and s.key = c.key and date_trunc('milliseconds', s.next_at) = c.before`);
    }
    const last = rows.at(-1);
    if (!last || rows.length < portion) return pulled;
    after = last.key;
  }
}

/** Voids the slots that this worker holds without knowing of them, or all of them: they are due again. */
export async function voidClaims(
  db: Queryable,
  workerId: string,
  kind: string,
  known: readonly string[] = [],
): Promise<number> {
  return db.run(
    sql`
    update schedules set next_at = least(slot, next_at), slot = null, claimed_by = null, claimed_at = null
     where claimed_by = ${workerId} and kind = ${kind} and slot is not null and key <> all(${[...known]}::text[])`,
    { preparedAs: "void-claims" },
  );
}
