import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { urlOf, createTestDatabase, type TestDatabase } from "@mainstay/testkit";
import { programFile } from "@mainstay/testkit/program-file.ts";
import sql from "sql-template-tag";
import { afterEach, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { testDatabase } from "../../testing/app.ts";
import { migrateSchema } from "../../schema.ts";
import { createLog } from "../log.ts";
import { type Database, openDatabase } from "./database.ts";
import { dumpSchema } from "./dump-schema.ts";
import { migrate, requireVersion } from "./migrate.ts";

const log = createLog("silent");
const realMigrations = new URL("../../../db/migrations/", import.meta.url);

let db: Database;
let connection: TestDatabase["owner"];
let folder: string;
let close: () => Promise<void>;

beforeEach(async () => {
  const database = await createTestDatabase({ connection: inject("cluster") });
  connection = database.owner;
  db = openDatabase({ connection, applicationName: "test", onError: () => undefined });
  folder = mkdtempSync("/tmp/mainstay-migrations-");
  cpSync(new URL("0001_base.sql", realMigrations), join(folder, "0001_base.sql"));
  close = async () => {
    await db.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  };
});
afterEach(() => close());

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const views = (...texts: [feature: string, text: string][]) =>
  texts.map(([feature, text]) => {
    write(`${feature}.views`, text);
    return { feature, file: pathToFileURL(join(folder, `${feature}.views`)) };
  });
const bringUp = (given: Partial<Parameters<typeof migrate>[0]> = {}) =>
  migrate({ db, log, migrations: pathToFileURL(`${folder}/`), views: [], ...given });
/** Brings up those of the real migrations. */
function bringUpReal(isWanted: (name: string) => boolean = () => true) {
  for (const name of readdirSync(realMigrations))
    if (name.endsWith(".sql") && isWanted(name))
      cpSync(new URL(name, realMigrations), join(folder, name));
  return bringUp();
}
const exists = async (name: string) =>
  (await db.first<{ found: boolean }>(sql`select to_regclass(${name}) is not null as found`))
    ?.found;
const applied = async () =>
  (await db.rows<{ name: string }>(sql`select name from migrations order by name`)).map(
    ({ name }) => name,
  );

describe("migrations", () => {
  test("take over sums of changes from before there were any, in one upgrade with what empties them", async () => {
    await bringUpReal((name) => name < "0053");
    const id = "0190a0b4-0000-7000-8000-000000000001";
    await db.run(
      sql`insert into config_items (id, name, type, config_class) values (${id}, 'a', 'T', 'T')`,
    );
    await db.run(sql`insert into config_change_totals values (${id}, 'diff', 'high', 3)`);
    await bringUpReal();
    expect(await db.rows(sql`select type, total, high from config_change_sums`)).toEqual([
      { type: "T", total: 3, high: 3 },
    ]);
  });

  test("take over the tags of items that are there", async () => {
    await bringUpReal((name) => name < "0063");
    await db.run(sql`
      insert into config_items (name, type, config_class, tags)
      values ('a', 'T', 'T', '{"zone":"x"}'), ('b', 'T', 'T', '{"zone":"x"}'), ('c', 'T', 'T', null)`);
    await bringUpReal();
    const tagged = await db.rows(sql`
      select i.name, s.tags from config_items i
        join config_item_tags t on t.config_id = i.id join config_tag_sets s on s.id = t.tag_set order by i.name`);
    expect(tagged).toEqual([
      { name: "a", tags: { zone: "x" } },
      { name: "b", tags: { zone: "x" } },
      { name: "c", tags: null },
    ]);
    expect(await db.rows(sql`select from config_tag_sets`)).toHaveLength(2);
  });

  test("take over which items have an owner", async () => {
    await bringUpReal((name) => name < "0066");
    await db.run(sql`
      insert into config_items (name, type, config_class, labels, config, properties)
      values ('a', 'T', 'T', '{"example.com/owned-by":"x"}', null, null), ('b', 'T', 'T', '{"owner":" "}', '{}', '[]'),
             ('c', 'T', 'T', null, '{"metadata":{"annotations":{"Team":"x"}}}', null),
             ('d', 'T', 'T', '[]', '"x"', '[{"label":"owner","value":"x"}]')`);
    await bringUpReal();
    expect(
      await db.rows(sql`
        select i.name, o.owners from config_item_owners o join config_items i on i.id = o.config_id order by i.name`),
    ).toEqual(["a", "b", "c", "d"].map((name) => ({ name, owners: name === "b" ? [] : ["x"] })));
  });

  test("say which of them goes on as long as it takes", async () => {
    await db.raw("create table heard (of text)");
    // Ends when it was heard of.
    write(
      "0002_long.sql",
      "do $$ begin while not exists (select from heard where of = '0002_long.sql') loop perform pg_sleep(0.01); end loop; end $$",
    );
    write("0003_last.sql", "select 1");
    const info = vi.fn<(...said: unknown[]) => void>((said) => {
      const { migration } = said as { migration?: string };
      if (migration !== undefined) void db.run(sql`insert into heard values (${migration})`);
    });
    await bringUp({ log: { ...log, info }, tellEveryMs: 20 });
    expect(info.mock.calls).toContainEqual([
      { migration: "0002_long.sql", of: "2 of 3", seconds: expect.any(Number) },
      "the database is still being migrated; interrupted, it would be as it was before",
    ]);
  });

  test("from empty, and a second time changes nothing", async () => {
    const first = await migrateSchema({ db, log });
    expect(first.applied[0]).toBe("0001_base.sql");
    const schema = await dumpSchema(db);
    const stamp = () => db.first(sql`select * from migration_logs where path = 'views'`);
    const before = await stamp();
    expect(await migrateSchema({ db, log })).toEqual({ applied: [] });
    expect(await dumpSchema(db)).toBe(schema);
    expect(await stamp()).toEqual(before);
  });

  test("three programs at once on one database: one does it, all succeed", async () => {
    const url = urlOf(connection);
    const outputs = await Promise.all(
      [1, 2, 3].map(async () => {
        const child = spawn(process.execPath, [programFile, "migrate", "--database-url", url], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        let output = "";
        child.stdout.on("data", (chunk: Buffer) => (output += String(chunk)));
        const [code] = (await once(child, "close")) as [number];
        expect(code).toBe(0);
        // Besides, the log may say something.
        return output.split("\n").find((line) => /^(Applied|The database) /.test(line)) ?? output;
      }),
    );
    expect(outputs.filter((output) => output.startsWith("Applied 0001_base.sql,"))).toHaveLength(1);
    expect(outputs.filter((output) => output === "The database is up to date.")).toHaveLength(2);
  });

  test("a second one waits until the first has ended", async () => {
    const order: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = bringUp({
      async seed() {
        order.push("first seeds");
        await promise;
        order.push("first ends");
      },
    });
    await vi.waitFor(() => expect(order).toEqual(["first seeds"]));
    const second = bringUp({ seed: async () => void order.push("second seeds") });
    await vi.waitFor(async () => {
      const waiting = await db.rows(
        sql`select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(waiting).toHaveLength(1);
    });
    resolve();
    await Promise.all([first, second]);
    expect(order).toEqual(["first seeds", "first ends", "second seeds"]);
  });

  test("one that fails leaves nothing, neither its own nor what went before it; corrected, all is applied", async () => {
    write("0002_a.sql", "create table a (n int);");
    write("0003_b.sql", "create table b (n int); select 1/0;");
    await expect(bringUp()).rejects.toThrow("The migration 0003_b.sql failed: division by zero");
    expect(await exists("a")).toBe(false);
    expect(await exists("event_queue")).toBe(false);
    expect(await applied()).toEqual([]);
    write("0003_b.sql", "create table b (n int);");
    expect(await bringUp()).toEqual({ applied: ["0001_base.sql", "0002_a.sql", "0003_b.sql"] });
    expect(await exists("b")).toBe(true);
  });

  test("an upgrade that fails leaves the version before it whole, with its views", async () => {
    const given = { views: views(["health", "create view v as select name from event_queue"]) };
    await bringUp(given);
    write("0002_a.sql", "alter table event_queue drop column name cascade; select 1/0;");
    await expect(bringUp(given)).rejects.toThrow("0002_a.sql failed");
    expect(await exists("v")).toBe(true);
    expect(await applied()).toEqual(["0001_base.sql"]);
  });

  test("a connection that is lost in the middle leaves nothing, and the next start does all of it", async () => {
    write("0002_slow.sql", "create table slow (n int); select pg_sleep(60);");
    const running = bringUp();
    const lost = expect(running).rejects.toThrow(/0002_slow.sql failed: .*terminat/);
    await vi.waitFor(async () => {
      const { rows } = await db.raw(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like '%pg_sleep(60)%' and pid <> pg_backend_pid()",
      );
      expect(rows).toHaveLength(1);
    });
    await lost;
    expect(await exists("slow")).toBe(false);
    write("0002_slow.sql", "create table slow (n int);");
    expect((await bringUp()).applied).toEqual(["0001_base.sql", "0002_slow.sql"]);
  });

  test("a file that was changed after it ran is refused, and nothing else is done", async () => {
    await bringUp();
    write("0001_base.sql", "-- something else");
    write("0002_a.sql", "create table a (n int);");
    await expect(bringUp()).rejects.toThrow(
      "The migration 0001_base.sql has changed since it was applied. Add a new one instead.",
    );
    expect(await exists("a")).toBe(false);
  });

  test("a database of a newer version is refused", async () => {
    await bringUp();
    await db.run(sql`insert into migrations (name, hash) values ('0099_future.sql', 'x')`);
    await expect(bringUp()).rejects.toThrow(
      "The database was migrated by a newer Mainstay (it knows 0099_future.sql). Start that version, or restore a backup.",
    );
  });

  test.each([
    [140_011, "The database server is PostgreSQL 14. Use 15 or newer."],
    [90_624, "The database server is PostgreSQL 9. Use 15 or newer."],
  ])("a server of version %i is refused", (version, message) => {
    expect(() => requireVersion(version)).toThrow(message);
  });
  test.each([150_000, 180_004, 190_000])("a server of version %i will do", (version) => {
    expect(() => requireVersion(version)).not.toThrow();
  });

  test("none of ours ends the transaction it runs in", () => {
    for (const text of ["0001_base.sql", "0002_identity.sql", "0003_health.sql"].map((name) =>
      readFileSync(new URL(name, realMigrations), "utf8"),
    ))
      expect(text).not.toMatch(/^\s*(begin|commit|rollback)\s*;/im);
  });
});

describe("views, functions and triggers", () => {
  const functions = `create function shout(text) returns text language sql immutable as $$ select upper($1) $$;
    create function stamp() returns trigger language plpgsql as $$ begin new.error := 'stamped'; return new; end $$;
    create trigger stamp before insert on event_queue for each row execute function stamp();`;

  test("are made again when the text of one changes, and are gone when it is removed", async () => {
    await bringUp({
      views: views(
        ["jobs", functions],
        ["health", "create view v as select shout(name) as name from event_queue"],
      ),
    });
    await db.run(sql`insert into event_queue (name) values ('a')`);
    expect(await db.rows(sql`select * from v`)).toEqual([{ name: "A" }]);

    const changed = views(
      ["jobs", functions.replace("stamped", "again")],
      ["health", "create view v as select name, error from event_queue"],
    );
    await bringUp({ views: changed });
    await db.run(sql`insert into event_queue (name) values ('b')`);
    expect(await db.rows(sql`select * from v order by name`)).toEqual([
      { name: "a", error: "stamped" },
      { name: "b", error: "again" },
    ]);

    await bringUp({ views: views(["health", "create view w as select 1 as one"]) });
    expect([await exists("v"), await exists("w")]).toEqual([false, true]);
    await db.run(sql`insert into event_queue (name) values ('c')`);
    expect(await db.first(sql`select error from event_queue where name = 'c'`)).toEqual({
      error: null,
    });
    expect(await db.rows(sql`select from pg_proc where proname in ('shout', 'stamp')`)).toEqual([]);
  });

  test("are out of the way of a migration that changes what they read", async () => {
    const before = views(["health", "create view v as select delay from event_queue"]);
    await bringUp({ views: before });
    write("0002_a.sql", "alter table event_queue alter column delay type numeric;");
    await bringUp({ views: before });
    expect(await exists("v")).toBe(true);
  });

  test("a text that fails leaves the old ones", async () => {
    await bringUp({ views: views(["health", "create view v as select 1 as one"]) });
    await expect(
      bringUp({ views: views(["health", "create view v as select nothing"]) }),
    ).rejects.toThrow('The views of health failed: column "nothing" does not exist');
    expect(await db.rows(sql`select * from v`)).toEqual([{ one: 1 }]);
  });

  test("what a migration or an administrator made stays: functions of defaults and indexes, other views", async () => {
    write(
      "0002_a.sql",
      `create function helper(n int) returns int language sql immutable as $$ select n + 1 $$;
       create function numbered() returns int language sql immutable as $$ select helper(1) $$;
       create table a (n int default numbered(), t text);
       create function keyed(text) returns text language sql immutable as $$ select lower($1) $$;
       create index a_keyed on a (keyed(t));`,
    );
    await bringUp({ views: views(["health", "create view v as select 1 as one"]) });
    await db.run(sql`create view theirs as select * from a`);
    await bringUp({ views: views(["health", "create view v as select 2 as one"]) });
    expect(await db.first(sql`insert into a default values returning n`)).toEqual({ n: 2 });
    expect(await db.first(sql`insert into event_queue (name) values ('x') returning id`)).toEqual({
      id: expect.any(String),
    });
    expect([await exists("a_keyed"), await exists("theirs")]).toEqual([true, true]);
    expect(await db.rows(sql`select * from v`)).toEqual([{ one: 2 }]);
  });
});

test("db/schema.sql is current; run `npm run schema -w mainstay` when it is not", async () => {
  const migrated = await testDatabase();
  try {
    const kept = readFileSync(new URL("../../../db/schema.sql", import.meta.url), "utf8");
    expect(kept).toBe(await dumpSchema(migrated.db));
  } finally {
    await migrated.drop();
  }
});
