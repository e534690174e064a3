import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import type { Log } from "../log.ts";
import type { Database } from "./database.ts";
import { StartupError } from "@mainstay/embedded-postgres";

/** One number for every server of every version, so that only one migrates at a time. */
const LOCK = 6_146_131;
const MINIMUM_VERSION = 150_000;

export interface ViewFile {
  /** The feature it belongs to; files are run in the order given. */
  feature: string;
  file: URL;
}

export interface MigrateOptions {
  db: Database;
  migrations: URL;
  views: readonly ViewFile[];
  log: Log;
  /** Runs under the same lock, after migrations and views. */
  seed?: () => Promise<void>;
}

/**
 * Brings the schema up to this version. Each migration runs once, in a transaction of its own together with the row
 * that says it ran, so an interrupted one leaves nothing. Views, functions and triggers are dropped and made again
 * when the text of any of them has changed.
 */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const { db, log } = options;
  const client = await db.connect();
  try {
    const { rows } = await client.query<{ version: number }>(
      "select current_setting('server_version_num')::int as version",
    );
    if (rows[0]!.version < MINIMUM_VERSION) {
      throw new StartupError("The database server is older than PostgreSQL 15. Use 15 or newer.");
    }
    await client.query("select pg_advisory_lock($1)", [LOCK]);
    const applied = await runMigrations(client, options);
    await applyViews(client, options);
    await options.seed?.();
    if (applied.length > 0) log.info({ applied }, "database migrated");
    return { applied };
  } finally {
    // Ending the session releases the lock, whatever happened.
    await client.end();
  }
}

async function runMigrations(client: pg.Client, { migrations }: MigrateOptions): Promise<string[]> {
  await client.query(
    `create table if not exists migrations (name text primary key, hash text not null, applied_at timestamptz not null default now())`,
  );
  const done = new Map(
    (
      await client.query<{ name: string; hash: string }>("select name, hash from migrations")
    ).rows.map((row) => [row.name, row.hash]),
  );
  const files = readdirSync(fileURLToPath(migrations))
    .filter((name) => name.endsWith(".sql"))
    .toSorted();
  const unknown = [...done.keys()].filter((name) => !files.includes(name));
  if (unknown.length > 0) {
    throw new StartupError(
      `The database was migrated by a newer Mainstay (it knows ${unknown.join(", ")}). Start that version, or restore a backup.`,
    );
  }
  const applied: string[] = [];
  for (const name of files) {
    const text = readFileSync(join(fileURLToPath(migrations), name), "utf8");
    const hash = hashOf(text);
    const before = done.get(name);
    if (before === hash) continue;
    if (before)
      throw new StartupError(
        `The migration ${name} has changed since it was applied. Add a new one instead.`,
      );
    await client.query("begin");
    try {
      await client.query(text);
      await client.query("insert into migrations (name, hash) values ($1, $2)", [name, hash]);
      await client.query("commit");
    } catch (cause) {
      await client.query("rollback");
      throw new Error(`The migration ${name} failed: ${(cause as Error).message}`, { cause });
    }
    applied.push(name);
  }
  return applied;
}

async function applyViews(client: pg.Client, { views }: MigrateOptions): Promise<void> {
  const texts = views.map(({ feature, file }) => ({ feature, text: readFileSync(file, "utf8") }));
  const wanted = hashOf(texts.map(({ feature, text }) => `${feature}\n${text}`).join("\n"));
  const { rows } = await client.query<{ hash: string }>(
    "select hash from migration_logs where path = 'views'",
  );
  if (rows[0]?.hash === wanted) return;
  await client.query("begin");
  try {
    for (const { drop } of (await client.query<{ drop: string }>(DROP_VIEWS)).rows)
      await client.query(drop);
    for (const { feature, text } of texts) {
      await client.query(text).catch((cause: Error) => {
        throw new Error(`The views of ${feature} failed: ${cause.message}`, { cause });
      });
    }
    await client.query(
      `insert into migration_logs (path, hash, updated_at) values ('views', $1, now())
       on conflict (path) do update set hash = excluded.hash, updated_at = now()`,
      [wanted],
    );
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/** Views, and the functions (with the triggers that call them) that no column default or index needs. */
const DROP_VIEWS = `
  select format('drop %s if exists %I.%I cascade', case relkind when 'm' then 'materialized view' else 'view' end, nspname, relname) as drop
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where nspname = 'public' and relkind in ('v', 'm')
     and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
  union all
  select format('drop %s if exists %s cascade', case prokind when 'p' then 'procedure' else 'function' end, p.oid::regprocedure)
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
   where nspname = 'public' and prokind in ('f', 'p')
     and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
     and not exists (select from pg_depend d where d.refobjid = p.oid and d.refclassid = 'pg_proc'::regclass
                       and d.classid in ('pg_attrdef'::regclass, 'pg_constraint'::regclass))`;

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
