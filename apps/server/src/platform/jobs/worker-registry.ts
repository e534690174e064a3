import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type pg from "pg";
import sql, { type Sql } from "sql-template-tag";
import type { Database } from "../db/database.ts";
import type { Log } from "../log.ts";
import { SCHEDULES_CHANGED } from "./slots.ts";

export interface WorkerRegistry {
  /** Of this process, for its claims. */
  readonly id: string;
  start(): Promise<void>;
  /** Removes this worker; its claims, if any are left, are void. */
  stop(): Promise<void>;
  /**
   * Names a row that this worker is about to claim out of turn, and keeps until what is returned is called. A claim that
   * is still there after that (its release failed, or its making seemed to) is void.
   */
  keep(row: { kind: string; key: string }): () => void;
  /** Called when others have given this worker up (it stood still too long): its claims are no longer its own. */
  onLost(handler: () => void): void;
}

export interface WorkerRegistryOptions {
  db: Database;
  log: Log;
  beatMs?: number;
  deadAfterMs?: number;
}

interface Seen {
  /** As the database writes it, so that not a microsecond is lost. */
  seenAt: string;
  /** On this process's monotonic clock. */
  changedAt: number;
}

/**
 * This process's row in `workers`, kept fresh, and the judgement over the rows of the others: one whose row has not
 * changed for `deadAfterMs` while this process watched is dead. Nobody's wall clock takes part, so a jumping clock
 * kills nobody.
 */
export function createWorkerRegistry(options: WorkerRegistryOptions): WorkerRegistry {
  const { db, log, beatMs = 1_000, deadAfterMs = 5_000 } = options;
  const id = randomUUID();
  const others = new Map<string, Seen>();
  const lostHandlers: (() => void)[] = [];
  const kept = new Set<{ kind: string; key: string }>();
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> = Promise.resolve();
  let stopped = true;
  let failing = false;
  let connection: pg.Client | undefined;

  /** On a connection of its own: a server whose pool is busy is not dead. */
  async function rows<Row extends object>(statement: Sql, preparedAs?: string): Promise<Row[]> {
    const client = connection ?? (await open());
    const { text, values } = statement;
    try {
      return (await client.query({ text, values, ...(preparedAs && { name: preparedAs }) }))
        .rows as Row[];
    } catch (error) {
      forget(client);
      client.end().catch(() => undefined);
      throw error;
    }
  }

  async function open(): Promise<pg.Client> {
    const client = await db.connect();
    // One that is lost while nothing is asked is replaced before the next question, not by its failure.
    client.once("end", () => forget(client));
    connection = client;
    return client;
  }

  function forget(client: pg.Client): void {
    if (connection === client) connection = undefined;
  }

  async function beat(first: boolean): Promise<void> {
    const found = await rows<{ id: string | null; seen_at: string | null; is_new: boolean }>(
      sql`
      with mine as (
        insert into workers (id, hostname, pid) values (${id}, ${hostname()}, ${process.pid})
        on conflict (id) do update set seen_at = now()
        returning xmax = 0 as is_new)
      select w.id, w.seen_at::text, mine.is_new from mine left join workers w on w.id <> ${id}`,
      "beat",
    );
    if (!first && found[0]?.is_new) {
      log.error(
        "this server stood still for so long that the others took over its work; it starts anew",
      );
      for (const handler of lostHandlers) handler();
    }
    const now = performance.now();
    const dead: [string, string][] = [];
    const present = new Set<string>();
    for (const row of found) {
      if (row.id === null || row.seen_at === null) continue;
      present.add(row.id);
      const known = others.get(row.id);
      if (known?.seenAt !== row.seen_at)
        others.set(row.id, { seenAt: row.seen_at, changedAt: now });
      else if (now - known.changedAt >= deadAfterMs) dead.push([row.id, row.seen_at]);
    }
    for (const other of others.keys()) if (!present.has(other)) others.delete(other);
    if (dead.length > 0) await remove(dead);
    await freeOrphans();
  }

  async function remove(dead: [string, string][]): Promise<void> {
    // Only rows that are still as they were seen: one that has just woken up keeps its place.
    const removed = await rows<{ hostname: string; pid: number }>(sql`
      delete from workers w using unnest(${dead.map(([dead]) => dead)}::uuid[], ${dead.map(([, seen]) => seen)}::timestamptz[]) d (id, seen_at)
       where w.id = d.id and w.seen_at = d.seen_at
      returning w.hostname, w.pid`);
    for (const worker of removed)
      log.warn(worker, "a server has gone without saying so; its work is taken over");
  }

  /**
   * A claim whose worker does not exist is void: the slot is due again. So is one of this worker's own out of turn that
   * it does not keep; it has no slot. One that was made a moment ago may be of a request after this began.
   */
  async function freeOrphans(): Promise<void> {
    const held = [...kept];
    const freed = await rows(
      sql`
      update schedules set next_at = least(slot, next_at), slot = null, claimed_by = null, claimed_at = null
       where (kind, key) in (
         select kind, key from schedules s
          where claimed_by is not null
            and (not exists (select from workers w where w.id = s.claimed_by)
                 or (claimed_by = ${id} and slot is null and claimed_at < now() - ${deadAfterMs}::float8 * interval '1 ms'
                     and (kind, key) not in (
                       select * from unnest(${held.map((row) => row.kind)}::text[], ${held.map((row) => row.key)}::text[]))))
            for update skip locked)
      returning key`,
      "free-orphans",
    );
    if (freed.length > 0) await rows(sql`select pg_notify(${SCHEDULES_CHANGED}, '')`);
  }

  function schedule(): void {
    timer = setTimeout(() => {
      beating = beat(false)
        .then(
          () => {
            failing = false;
          },
          (error: unknown) => {
            if (!failing)
              log.error({ err: error }, "cannot report to the database that this server is alive");
            failing = true;
          },
        )
        .then(() => {
          if (!stopped) schedule();
        });
    }, beatMs);
  }

  return {
    id,
    async start() {
      stopped = false;
      await beat(true);
      schedule();
    },
    async stop() {
      if (stopped) return;
      stopped = true;
      clearTimeout(timer);
      await beating;
      await rows(sql`delete from workers where id = ${id}`);
      await freeOrphans();
      await connection?.end();
      connection = undefined;
    },
    keep({ kind, key }) {
      const row = { kind, key };
      kept.add(row);
      return () => kept.delete(row);
    },
    onLost: (handler) => lostHandlers.push(handler),
  };
}
