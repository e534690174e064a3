import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import type { Log } from "../log.ts";
import { holdLock } from "./advisory-locks.ts";
import type { Database } from "./database.ts";
import { grantApplication } from "./grant-application.ts";
import { StartupError } from "@mainstay/embedded-postgres";

const MINIMUM_VERSION = 150_000;

/** Views, functions and triggers: a file, or what is made from declarations. */
export type ViewSource = {
  /** The feature it belongs to; they are run in the order given. */
  feature: string;
} & ({ file: URL } | { text: string });

export interface MigrateOptions {
  /** As the owner of the schema. */
  db: Database;
  migrations: URL;
  views: readonly ViewSource[];
  log: Log;
  /** Makes what a library keeps in a schema of its own, after migrations and views. */
  install?: (client: pg.Client) => Promise<void>;
  /** The user that everything else runs as is given the rows of these schemas. */
  application?: { name: string; schemas: readonly string[] };
  /** Runs under the same lock, after all of that. */
  seed?: () => Promise<void>;
  /** How often it is said what goes on. */
  tellEveryMs?: number;
}

/** Most upgrades are through by then. */
const usualTellMs = 10_000;

/**
 * Brings the schema up to this version: all that is missing in one transaction, so that an interrupted one leaves
 * nothing. Views, functions and triggers of the features are dropped before and made again after, also when only the
 * text of one of them has changed.
 */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const { db, log } = options;
  const client = await db.connect();
  try {
    const { rows } = await client.query<{ version: number }>(
      "select current_setting('server_version_num')::int as version",
    );
    requireVersion(rows[0]!.version);
    await holdLock(client, "migrate", () =>
      log.info("waiting for another server that migrates the database"),
    );
    await makeLedger(client);
    const pending = await pendingMigrations(client, options.migrations);
    const applied = pending.map(({ name }) => name);
    const views = readViews(options.views);
    if (pending.length > 0 || (await viewsInPlace(client)) !== views.hash) {
      await inTransaction(client, async () => {
        await dropViews(client);
        for (const [place, migration] of pending.entries())
          await telling(
            options,
            { migration: migration.name, of: `${place + 1} of ${pending.length}` },
            () => runMigration(client, migration),
          );
        await makeViews(client, views);
      });
    }
    await options.install?.(client);
    const { application } = options;
    if (application) await grantApplication(client, application.name, application.schemas);
    await options.seed?.();
    if (applied.length > 0) log.info({ applied }, "database migrated");
    return { applied };
  } catch (error) {
    throw isRefused(error) ? await notOwner(client, error as Error) : error;
  } finally {
    // Ending the session releases the lock, whatever happened.
    await client.end();
  }
}

/** Whether the database said no to its user, in what failed or beneath it. */
function isRefused(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code === "42501" || (cause instanceof Error && isRefused(cause));
}

async function notOwner(client: pg.Client, cause: Error): Promise<StartupError> {
  const { rows } = await client.query<{ name: string }>("select current_user as name");
  return new StartupError(
    `The database's user ${rows[0]!.name} may not bring the schema up to this version (${cause.message}). ` +
      "That takes the owner of the tables: name it with MIGRATION_DATABASE_URL, or run `mainstay migrate` as it.",
    { cause },
  );
}

/** Throws when the server, by its `server_version_num`, is too old. */
export function requireVersion(version: number): void {
  if (version >= MINIMUM_VERSION) return;
  throw new StartupError(
    `The database server is PostgreSQL ${Math.floor(version / 10_000)}. Use 15 or newer.`,
  );
}

/** Not by `if not exists` alone: who may not make tables is refused that also where there is nothing to make. */
async function makeLedger(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ is_there: boolean }>(
    "select to_regclass('migrations') is not null as is_there",
  );
  if (rows[0]!.is_there) return;
  await client.query(
    "create table if not exists migrations (name text primary key, hash text not null, applied_at timestamptz not null default now())",
  );
}

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query("begin");
  try {
    await work();
    await client.query("commit");
  } catch (error) {
    // When the connection is lost the server has rolled back by itself; what counts is the first failure.
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

/** Where there is much data a migration takes minutes: whoever waits hears which it is, and for how long. */
async function telling(
  { log, tellEveryMs = usualTellMs }: MigrateOptions,
  what: { migration: string; of: string },
  work: () => Promise<void>,
): Promise<void> {
  const started = performance.now();
  const timer = setInterval(
    () =>
      log.info(
        { ...what, seconds: Math.round((performance.now() - started) / 1000) },
        "the database is still being migrated; interrupted, it would be as it was before",
      ),
    tellEveryMs,
  );
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

interface Migration {
  name: string;
  text: string;
  hash: string;
}

async function pendingMigrations(client: pg.Client, folder: URL): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string; hash: string }>(
    "select name, hash from migrations",
  );
  const done = new Map(rows.map((row) => [row.name, row.hash]));
  const all = readdirSync(fileURLToPath(folder))
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name): Migration => {
      const text = readFileSync(join(fileURLToPath(folder), name), "utf8");
      return { name, text, hash: hashOf(text) };
    });
  const names = new Set(all.map(({ name }) => name));
  const unknown = [...done.keys()].filter((name) => !names.has(name));
  if (unknown.length > 0) {
    throw new StartupError(
      `The database was migrated by a newer Mainstay (it knows ${unknown.join(", ")}). Start that version, or restore a backup.`,
    );
  }
  const changed = all.find(({ name, hash }) => (done.get(name) ?? hash) !== hash);
  if (changed) {
    throw new StartupError(
      `The migration ${changed.name} has changed since it was applied. Add a new one instead.`,
    );
  }
  return all.filter(({ name }) => !done.has(name));
}

async function runMigration(client: pg.Client, { name, text, hash }: Migration): Promise<void> {
  try {
    await client.query(text);
  } catch (cause) {
    throw new Error(`The migration ${name} failed: ${(cause as Error).message}`, { cause });
  }
  await client.query("insert into migrations (name, hash) values ($1, $2)", [name, hash]);
}

interface Views {
  texts: { feature: string; text: string }[];
  hash: string;
}

function readViews(sources: readonly ViewSource[]): Views {
  const texts = sources.map((source) => ({
    feature: source.feature,
    text: "file" in source ? readFileSync(source.file, "utf8") : source.text,
  }));
  return {
    texts,
    hash: hashOf(texts.map(({ feature, text }) => `${feature}\n${text}`).join("\n")),
  };
}

async function viewsInPlace(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ hash: string }>(
    "select hash from migration_logs where path = 'views'",
  );
  return rows[0]?.hash;
}

/** Marks what came from a feature's file: only that is dropped. A migration or an administrator may make more. */
const MARK = "Mainstay makes this again at every upgrade.";

async function makeViews(client: pg.Client, { texts, hash }: Views): Promise<void> {
  const before = new Set((await client.query<MadeObject>(OBJECTS)).rows.map(({ name }) => name));
  for (const { feature, text } of texts) {
    await client.query(text).catch((cause: Error) => {
      throw new Error(`The views of ${feature} failed: ${cause.message}`, { cause });
    });
  }
  const made = (await client.query<MadeObject>(OBJECTS)).rows.filter(
    ({ name }) => !before.has(name),
  );
  for (const { name } of made) await client.query(`comment on ${name} is '${MARK}'`);
  await client.query(
    `insert into migration_logs (path, hash, updated_at) values ('views', $1, now())
     on conflict (path) do update set hash = excluded.hash, updated_at = now()`,
    [hash],
  );
}

async function dropViews(client: pg.Client): Promise<void> {
  const { rows } = await client.query<MadeObject>(OBJECTS);
  for (const { name, mark } of rows)
    if (mark === MARK)
      await client.query(`drop ${name.replace(/^\w+( view)? /, "$&if exists ")} cascade`);
}

/** A name as `drop` and `comment on` take it: `view public.a`, `function public.b(text)`, `trigger c on public.d`. */
interface MadeObject {
  name: string;
  mark: string | null;
}

const OBJECTS = `
  select format('%s %I.%I', case relkind when 'm' then 'materialized view' else 'view' end, nspname, relname) as name,
         obj_description(c.oid, 'pg_class') as mark
    from pg_class c join pg_namespace n on n.oid = relnamespace
   where nspname = 'public' and relkind in ('v', 'm')
  union all
  select format('%s %I.%I(%s)', case prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end,
                nspname, proname, pg_get_function_identity_arguments(p.oid)),
         obj_description(p.oid, 'pg_proc')
    from pg_proc p join pg_namespace n on n.oid = pronamespace
   where nspname = 'public' and prokind <> 'w'
  union all
  select format('trigger %I on %I.%I', tgname, nspname, relname), obj_description(t.oid, 'pg_trigger')
    from pg_trigger t join pg_class c on c.oid = tgrelid join pg_namespace n on n.oid = relnamespace
   where nspname = 'public' and not tgisinternal and tgparentid = 0`;

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
