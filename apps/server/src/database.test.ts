import { createTestDatabase, type TestDatabase, urlOf } from "@mainstay/testkit";
import pg from "pg";
import sql from "sql-template-tag";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { createLog } from "#platform/log.ts";
import { openConfiguredDatabase } from "./database.ts";
import { migrateSchema } from "./schema.ts";
import { testConfig } from "./testing/app.ts";

/** A database server of one's own, with one user for everything or with two. */

let database: TestDatabase;
let said: string[];
beforeEach(async () => {
  database = await createTestDatabase({ connection: inject("cluster") });
  said = [];
});
afterEach(() => database.drop());

async function withDatabase<T>(
  urls: { databaseUrl?: string; migrationDatabaseUrl?: string },
  work: (opened: Awaited<ReturnType<typeof openConfiguredDatabase>>) => Promise<T>,
): Promise<T> {
  const log = createLog("warn", { write: (line) => void said.push(line) });
  const opened = await openConfiguredDatabase(testConfig(urls), log);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

const migrated = (urls: Parameters<typeof withDatabase>[0]) =>
  withDatabase(urls, ({ db, owner }) => migrateSchema({ db, owner, log: createLog("silent") }));
const owners = async () => {
  const client = new pg.Client(database.superuser);
  await client.connect();
  const { rows } = await client.query<{ owner: string }>(
    "select distinct relowner::regrole::text as owner from pg_class where relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)",
  );
  await client.end();
  return rows.map(({ owner }) => owner);
};

test("one user does both, and nothing is said about it", async () => {
  const databaseUrl = urlOf(database.owner);
  expect((await migrated({ databaseUrl })).applied).toContain("0001_base.sql");
  expect(await migrated({ databaseUrl })).toEqual({ applied: [] });
  await withDatabase({ databaseUrl }, async ({ db, owner }) => {
    expect(owner).toBe(db);
    await db.run(sql`insert into properties (name, value) values ('a', '1')`);
  });
  expect(said).toEqual([]);
});

test("a superuser works, and the log warns", async () => {
  expect((await migrated({ databaseUrl: urlOf(database.superuser) })).applied).not.toEqual([]);
  expect(said).toHaveLength(1);
  expect(JSON.parse(said[0]!)).toMatchObject({
    level: 40,
    msg: expect.stringContaining("the user of DATABASE_URL is a superuser") as string,
  });
});

describe("two users", () => {
  test("one migrates and owns, the other has its rows; then that one is enough", async () => {
    const databaseUrl = urlOf(database.application);
    const migrationDatabaseUrl = urlOf(database.owner);
    expect((await migrated({ databaseUrl, migrationDatabaseUrl })).applied).not.toEqual([]);
    expect(await owners()).toEqual(["mainstay_owner"]);
    for (const urls of [{ databaseUrl, migrationDatabaseUrl }, { databaseUrl }]) {
      expect(await migrated(urls)).toEqual({ applied: [] });
      await withDatabase(urls, async ({ db }) => {
        expect(await db.first(sql`select current_user as name`)).toEqual({
          name: "mainstay_application",
        });
        await db.run(sql`insert into properties (name, value) values (${Math.random()}, '1')`);
        await expect(db.run(sql`create table mine (a int)`)).rejects.toThrow(/permission denied/);
      });
    }
    expect(said).toEqual([]);
  });

  test("a database that one user had migrated is divided: the other lacks nothing", async () => {
    await migrated({ databaseUrl: urlOf(database.owner) });
    const urls = {
      databaseUrl: urlOf(database.application),
      migrationDatabaseUrl: urlOf(database.owner),
    };
    await expect(withDatabase(urls, ({ db }) => db.rows(sql`select from people`))).rejects.toThrow(
      /permission denied/,
    );
    await migrated(urls);
    await withDatabase(urls, ({ db }) => db.rows(sql`select from people`));
  });

  test("the one without tables is told what to do", async () => {
    await expect(migrated({ databaseUrl: urlOf(database.application) })).rejects.toThrow(
      "The database's user mainstay_application may not bring the schema up to this version (permission denied for schema public). " +
        "That takes the owner of the tables: name it with MIGRATION_DATABASE_URL, or run `mainstay migrate` as it.",
    );
  });

  test("of two databases are refused", async () => {
    const other = await createTestDatabase({ connection: inject("cluster") });
    try {
      await expect(
        migrated({
          databaseUrl: urlOf(database.application),
          migrationDatabaseUrl: urlOf(other.owner),
        }),
      ).rejects.toThrow("DATABASE_URL and MIGRATION_DATABASE_URL name different databases.");
    } finally {
      await other.drop();
    }
  });

  test("one of whom cannot be reached: it says which", async () => {
    const migrationDatabaseUrl = urlOf({ ...database.owner, password: "wrong" });
    await expect(
      migrated({ databaseUrl: urlOf(database.application), migrationDatabaseUrl }),
    ).rejects.toThrow(/^The database of MIGRATION_DATABASE_URL cannot be used: password auth/);
    await expect(migrated({ migrationDatabaseUrl })).rejects.toThrow(
      /^MIGRATION_DATABASE_URL is set and DATABASE_URL is not\./,
    );
  });
});
