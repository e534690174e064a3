import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "#platform/log.ts";
import type { Feature } from "#platform/feature.ts";
import { recordRun } from "#platform/jobs/history.ts";
import { collectResources } from "#platform/resource.ts";
import { table } from "#platform/table.ts";
import { type App, createApp } from "./app.ts";
import { features } from "./features.ts";
import { type Client, client, testConfig, testDatabase } from "./testing/app.ts";

const folder = mkdtempSync("/tmp/mainstay-harbour-");
writeFileSync(
  join(folder, "views.sql"),
  "call keep_history('boats', 'id'); call keep_history('crews', 'boat_id');",
);

/** A capability that no other file knows of: boats, and who sails them. */
const harbour: Feature = {
  name: "harbour",
  tables: [
    table("boats", { read: "canaries", write: "canaries", writable: ["name", "pier", "length"] }),
  ],
  resources: [
    {
      kind: "boat",
      table: "boats",
      read: "canaries",
      namespace: "pier",
      search: { as: "boats", fields: { id: "id", name: "text", length: "text", pier: "text" } },
    },
  ],
  rowsAbout: [
    {
      table: "crews",
      kind: "boat",
      member: { kind: "person", id: `"row" ->> 'person_id'` },
    },
  ],
  views: pathToFileURL(join(folder, "views.sql")),
};

let database: Awaited<ReturnType<typeof testDatabase>>;
let app: App;
let admin: Client;
let viewer: Client;

beforeAll(async () => {
  database = await testDatabase();
  await database.owner.raw(`
    create table boats (id uuid primary key default generate_ulid(), name text not null, pier text, length text);
    create table crews (boat_id uuid not null references boats, person_id uuid not null references people);`);
  app = await createApp({
    config: testConfig({ role: "api" }),
    db: database.db,
    owner: database.owner,
    log: createLog("silent"),
    features: [...features, harbour],
    consoleDirectory: import.meta.dirname,
  });
  await app.listen();
  const { token } = await app.createLocalSession();
  admin = client(app.address, { "x-session-token": token });
  viewer = client(app.address);
});
afterAll(async () => {
  await app.stop();
  await database.drop();
  rmSync(folder, { recursive: true });
});

describe("the job history", () => {
  test.each(
    [...features, harbour].flatMap(({ resources = [] }) => resources.map(({ kind }) => kind)),
  )(
    "of a %s shows its own runs, and neither those of another one nor of another kind",
    async (kind) => {
      const ids = [randomUUID(), randomUUID()];
      const other = kind === "boat" ? "canary" : "boat";
      const resources = [...ids.map((id) => ({ type: kind, id })), { type: other, id: ids[0]! }];
      for (const [at, resource] of resources.entries())
        await recordRun(
          database.db,
          { name: `Own ${at}`, resource, retention: "few" },
          async () => ({ successes: 1, errors: [] }),
        );
      const runs = await admin.get(
        `/api/db/job_histories?resource_type=eq.${kind}&resource_id=eq.${ids[0]}&select=name,resource_type,resource_id`,
      );
      expect(runs.json).toEqual([{ name: "Own 0", resource_type: kind, resource_id: ids[0] }]);
    },
  );
});

describe("a kind that a new feature declares", () => {
  let id: string;
  beforeAll(async () => {
    const made = await admin.post(
      "/api/db/boats",
      { name: "Aurora", pier: "north", length: "12" },
      { prefer: "return=representation" },
    );
    expect(made.status).toBe(201);
    id = made.json[0].id;
  });

  test("is found by the search, by name and by the fields it declares", async () => {
    const found = async (selector: object) =>
      (await admin.post("/api/resources/search", { boats: [selector] })).json;
    const boat = {
      id,
      name: "Aurora",
      namespace: "north",
      type: "boats",
      icon: "",
      agent: "00000000-0000-0000-0000-000000000000",
      labels: {},
      tags: {},
    };
    expect(await found({ name: "auro*" })).toEqual({ boats: [boat] });
    expect(await found({ search: "length=12 pier=north" })).toEqual({ boats: [boat] });
    expect(await found({ namespace: "south" })).toEqual({ boats: [] });
  });

  test("what it does not declare is refused in words, and by nobody else's rights", async () => {
    const refused = async (selector: object) =>
      (await admin.post("/api/resources/search", { boats: [selector] })).json.error;
    for (const selector of [
      { types: "a" },
      { health: "healthy" },
      { scope: "a/b" },
      { labelSelector: "a=b" },
      { tagSelector: "a=b" },
    ])
      expect(await refused(selector)).toMatch(/boats/);
    expect((await viewer.post("/api/resources/search", { boats: [{ name: "a" }] })).status).toBe(
      401,
    );
  });

  test("is named in the audit, as it is called now, and its parts are", async () => {
    const [person] = await database.db.rows<{ id: string; name: string }>(
      sql`select id, name from people where name = 'Admin'`,
    );
    await app.ctx
      .as({ kind: "person", id: person!.id, name: "Admin", email: null, roles: ["admin"] })
      .tx((tx) => tx.run(sql`insert into crews values (${id}, ${person!.id})`));
    await database.db.run(sql`update boats set name = 'Borealis' where id = ${id}`);
    const entries = await admin.get(
      "/api/db/audit_entries?table_name=in.(boats,crews)&order=created_at&select=table_name,row_name,resource_type,resource_id,resource_name",
    );
    const boat = { resource_type: "boat", resource_id: id, resource_name: "north/Borealis" };
    expect(entries.json).toEqual([
      { table_name: "boats", row_name: "north/Borealis", ...boat },
      {
        table_name: "crews",
        row_name: "Admin in north/Borealis",
        ...boat,
      },
    ]);
  });

  test("is named in the job history, and by the function that others write texts with", async () => {
    await recordRun(
      database.db,
      { name: "PaintBoat", resource: { type: "boat", id }, retention: "few" },
      async () => ({ successes: 1, errors: [] }),
    );
    const runs = await admin.get(
      "/api/db/job_histories?name=eq.PaintBoat&select=resource_type,resource_id,resource_name",
    );
    expect(runs.json).toEqual([
      { resource_type: "boat", resource_id: id, resource_name: "Borealis" },
    ]);
    expect(await database.db.first(sql`select resource_name('boat', ${id}) as name`)).toEqual({
      name: "north/Borealis",
    });
    for (const [kind, of] of [
      ["boat", "nonsense"],
      ["submarine", id],
      ["boat", "00000000-0000-0000-0000-000000000001"],
    ])
      expect(await database.db.first(sql`select resource_name(${kind}, ${of}) as name`)).toEqual({
        name: null,
      });
  });

  test("what is gone keeps the name that its last row had, and has none of its own", async () => {
    await database.db.run(sql`delete from crews where boat_id = ${id}`);
    await admin.delete(`/api/db/boats?id=eq.${id}`);
    const entries = await admin.get(
      `/api/db/audit_entries?resource_type=eq.boat&resource_id=eq.${id}&verb=eq.delete&table_name=eq.boats&select=row_name,resource_name`,
    );
    expect(entries.json).toEqual([{ row_name: "Borealis", resource_name: null }]);
  });
});

describe("refused at the start", () => {
  const boat = { kind: "boat", table: "boats", read: "canaries" } as const;
  const search = { as: "boats", fields: {} };
  test.each<[string, Pick<Feature, "resources" | "rowsAbout">, string]>([
    [
      "a kind that another feature declares",
      { resources: [{ ...boat, kind: "check" }] },
      `The kind of resource "check" is declared twice: by health and by harbour.`,
    ],
    [
      "a table that another feature declares",
      { resources: [{ ...boat, table: "checks" }] },
      "What the rows of checks are is declared twice",
    ],
    [
      "a search of another's name",
      { resources: [{ ...boat, search: { ...search, as: "checks" } }] },
      `The search for "checks" is declared twice`,
    ],
    [
      "rows about what nobody declares",
      { rowsAbout: [{ table: "crews", kind: "boat" }] },
      `The rows of crews are about a "boat", which no feature declares.`,
    ],
    [
      "a table that is no name",
      { resources: [{ ...boat, table: "boats; drop table people" }] },
      "is no name",
    ],
  ])("%s", async (_, parts, message) => {
    expect(() => collectResources([...features, { name: "harbour", ...parts }])).toThrow(message);
  });

  test("by the program itself", async () => {
    const parts = { config: testConfig({ role: "api" }), db: database.db, owner: database.owner };
    await expect(
      createApp({
        ...parts,
        log: createLog("silent"),
        features: [...features, { name: "harbour", resources: [{ ...boat, kind: "check" }] }],
      }),
    ).rejects.toThrow("declared twice");
  });
});

test("every resource of ours says only what its table has", async () => {
  const { all } = collectResources(features);
  expect(all.length).toBeGreaterThan(6);
  for (const { kind, search, table: of } of all) {
    const columns = await database.db.rows<{ name: string }>(sql`
      select attname as name from pg_attribute where attrelid = ${of}::regclass and attnum > 0`);
    const names = columns.map(({ name }) => name);
    for (const field of Object.keys(search?.fields ?? {})) expect(names, kind).toContain(field);
  }
  expect(await database.db.rows(sql`select from resource_names limit 1`)).toHaveLength(1);
});
