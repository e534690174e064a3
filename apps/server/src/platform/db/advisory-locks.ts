import type pg from "pg";
import sql from "sql-template-tag";
import type { Queryable } from "./database.ts";

/**
 * Every advisory lock there is. PostgreSQL knows them by number alone, so that two meanings of one number would make
 * servers wait for each other, or worse, not wait. In SQL they are taken by name: `perform take_lock('partitions')`.
 */
export const advisoryLocks = {
  /** One server brings the schema up to its version; held by a connection until it has. */
  migrate: 6_146_131,
  /** One server grants to the data API's roles. */
  dataRoles: 6_146_132,
  /** One transaction changes who may do what, and still sees what it saw when it commits. */
  roles: 6_146_133,
  /** Servers that start together make the queues one after the other. */
  queues: 6_146_134,
  /** One server makes or drops the days of tables. */
  partitions: 6_146_135,
  /** One server numbers deliveries, in the order of their events. */
  deliveries: 6_146_140,
  /** Of a name: who saves the same document waits. */
  documents: 6_146_141,
  /** Of a source: who prunes it waits for who saves to it. */
  documentSources: 6_146_142,
  /** One pass judges components. */
  components: 6_146_150,
} as const;

export type AdvisoryLock = keyof typeof advisoryLocks;

/** Takes a lock until the transaction ends. */
export async function takeLock(tx: Queryable, lock: AdvisoryLock): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${advisoryLocks[lock]})`);
}

/** Takes a lock until the connection ends. `onWait` is called when somebody else has it. */
export async function holdLock(
  client: pg.Client,
  lock: AdvisoryLock,
  onWait?: () => void,
): Promise<void> {
  const number = advisoryLocks[lock];
  const { rows } = await client.query<{ free: boolean }>(
    "select pg_try_advisory_lock($1) as free",
    [number],
  );
  if (rows[0]!.free) return;
  onWait?.();
  await client.query("select pg_advisory_lock($1)", [number]);
}

/**
 * Takes a lock of each of the names until the transaction ends, in an order that is everybody's. Two names may share
 * one by chance: then they wait for each other, and nothing worse. Shared ones wait for those that are not.
 */
export async function takeLocksOf(
  tx: Queryable,
  lock: AdvisoryLock,
  names: readonly string[],
  { shared = false }: { shared?: boolean } = {},
): Promise<void> {
  const take = shared ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`;
  await tx.rows(sql`
    select ${take}(${advisoryLocks[lock]}::int, key)
      from (select distinct hashtext(name) as key from unnest(${[...names]}::text[]) name order by 1) keys`);
}

/** The registry as SQL knows it. A name that is not in it is refused, where a null would lock nothing. */
export const lockFunction = `
create function take_lock(name text) returns void language plpgsql as $$
declare
  number constant bigint := case name
    ${Object.entries(advisoryLocks)
      .map(([name, number]) => `when '${name}' then ${number}`)
      .join("\n    ")}
  end;
begin
  if number is null then raise exception 'There is no lock %', name; end if;
  perform pg_advisory_xact_lock(number);
end $$;
`;
