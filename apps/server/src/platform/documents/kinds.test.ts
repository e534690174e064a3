import {
  documentEnvelope,
  type DocumentFormat,
  jsonSchemaOf,
  mapSecrets,
} from "@mainstay/contract";
import { createDataApi } from "@mainstay/data-api";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { canaryKind } from "#features/health/documents/canary-kind.ts";
import { features } from "../../features.ts";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import type { WriteContext } from "../table.ts";
import { collectKinds, findKind } from "./collect-kinds.ts";
import {
  type DocumentKind,
  type DocumentRow,
  type PlainDocumentRow,
  plainRow,
  sourceOf,
  toDocument,
} from "./document-kind.ts";
import { documentTable } from "./document-table.ts";
import { listRows } from "./document-rows.ts";
import { saveDocuments } from "./save-documents.ts";

/** A kind that spreads its spec over columns, as some of the product's tables do, and has no namespaces. */

const spec = z.looseObject({
  title: z.string().min(1),
  events: z.array(z.string()).min(1),
  password: z.string().meta({ writeOnly: true }).optional(),
});
const bellFormat: DocumentFormat<z.output<typeof spec>> = {
  kind: "Bell",
  name: "bell",
  plural: "bells",
  apiVersions: ["test.mainstay/v1", "test.mainstay/v0"],
  resource: "notifications",
  envelope: documentEnvelope({
    kind: "Bell",
    apiVersions: ["test.mainstay/v1", "test.mainstay/v0"],
    spec,
  }),
  spec,
  judge: ({ spec: { title } }) =>
    title === "silence"
      ? [{ severity: "error", path: ["spec", "title"], message: "A bell rings." }]
      : [],
  mapSecrets: (value, replace) =>
    mapSecrets({ schema: jsonSchemaOf(spec), value, destinationAt: () => "" }, replace) as Record<
      string,
      unknown
    >,
};

interface BellRow extends DocumentRow {
  name: string;
  title: string;
  events: string[];
  password: string | null;
}

const followed: string[] = [];
const bellKind: DocumentKind<BellRow> = {
  format: bellFormat,
  table: "bells",
  key: { name: "name" },
  columns: ["name", "title", "events", "password"],
  toRow: ({ name, spec: { title, events, password = null } }) => ({
    name,
    title,
    events,
    password,
  }),
  toParts: ({ name, title, events, password }) => ({
    name,
    namespace: "default",
    labels: null,
    annotations: null,
    spec: { title, events, ...(password === null ? {} : { password }) },
  }),
  async follow(_ctx, _tx, { name, deleted_at: deletedAt }) {
    if (name === "cracked") throw new Error("This bell cannot be hung.");
    followed.push(deletedAt === null ? name : `${name} deleted`);
  },
};
const kinds = [canaryKind, bellKind] as const;

let app: TestApp;
beforeAll(async () => {
  const belfry = { name: "belfry", documents: [bellKind], tables: [documentTable(bellKind)] };
  app = await startTestApp(
    { role: "api" },
    {
      features: [...features, belfry],
      prepare: (owner) =>
        owner.raw(`
    create table bells (
      id uuid primary key default generate_ulid(), name text not null, title text not null, events text[] not null,
      password text, sealed jsonb not null default '{}', source text, created_by uuid,
      created_at timestamptz not null default now(), updated_at timestamptz, deleted_at timestamptz);
    call seal_column('bells', 'sealed');
    grant select, insert, update, delete on bells to public`),
    },
  );
});
afterAll(() => app.stop());

const bell = (name: string, more = "", version = "v1") =>
  `apiVersion: test.mainstay/${version}\nkind: Bell\nmetadata: { name: ${name} }\nspec:\n  title: ring\n  events: [one, two]\n${more}`;
const canary = (name: string, endpoint = "localhost:1") =>
  `apiVersion: canaries.flanksource.com/v1\nkind: Canary\nmetadata: { name: ${name} }\nspec: { tcp: [{ name: a, endpoint: "${endpoint}" }] }\n`;
const save = (texts: string[], more: object = {}) =>
  saveDocuments(app.app.ctx, kinds, { text: texts.join("---\n"), source: "kinds-test", ...more });
const names = async () => {
  const rows = await Promise.all(
    kinds.map((kind: DocumentKind) => listRows(app.db, kind, { source: "kinds-test" })),
  );
  return rows.flat().map((row) => (row as BellRow).name);
};

test("kinds are saved together or not at all, and each says what follows", async () => {
  const mixed = await save([canary("m-1"), bell("m-2"), bell("m-3", "", "v0")]);
  expect(mixed.documents).toMatchObject([
    { kind: "Canary", name: "m-1", outcome: "created" },
    { kind: "Bell", name: "m-2", outcome: "created" },
    { kind: "Bell", name: "m-3", outcome: "created" },
  ]);
  expect(await names()).toEqual(["m-1", "m-2", "m-3"]);
  expect(followed).toEqual(["m-2", "m-3"]);
  expect((await save([bell("m-2")])).documents).toMatchObject([{ outcome: "unchanged" }]);

  for (const texts of [
    [canary("n-1"), bell("n-2"), canary("n-3", "nowhere")],
    [canary("n-1"), bell("n-2").replace("ring", "silence")],
    [canary("n-1"), bell("cracked")],
  ])
    await expect(save(texts)).rejects.toThrow(/nowhere|rings|hung|host/);
  expect(await names()).toEqual(["m-1", "m-2", "m-3"]);
});

test("secrets are sealed and opened by no answer, whatever the columns", async () => {
  await save([bell("s-1", "  password: swordfish\n")]);
  const row = (await listRows<BellRow>(app.db, bellKind, { name: "s-1" }))[0]!;
  expect([row.password, JSON.stringify(row)]).toEqual([
    "********",
    expect.not.stringContaining("swordfish"),
  ]);
  expect(toDocument(bellKind, row)).toMatchObject({
    apiVersion: "test.mainstay/v1",
    kind: "Bell",
    spec: { title: "ring", events: ["one", "two"], password: "********" },
  });
  const again = await save([bell("s-1", '  password: "********"\n')]);
  expect(again.documents).toMatchObject([{ outcome: "unchanged" }]);
});

const returned = { prefer: "return=representation" };
const stored = (where: string) =>
  app.owner.raw(
    `select name, title, password, sealed from bells where name like '${where}' order by name`,
  );

test("rows of the data API are judged by their own columns: of ten with a bad one none is stored", async () => {
  const rows = Array.from({ length: 10 }, (_, index) => ({
    name: `r-${index}`,
    title: "ring",
    events: ["one"],
  }));
  const bad = [
    [{ title: "silence" }, "7.title", "A bell rings."],
    [{ events: [] }, "7.events", /Too small|at least|expected/i],
    [{ title: null }, "7.title", /expected/i],
    [{ name: 5 }, "7.name", /expected|text/i],
  ] as const;
  for (const [change, path, message] of bad) {
    const sent = rows.with(7, { ...rows[7]!, ...change } as (typeof rows)[number]);
    const { status, json } = await app.admin.post("/api/db/bells", sent);
    expect([status, json.issues]).toMatchObject([400, [{ path, line: 1 }]]);
    expect(json.issues[0].message).toMatch(message);
  }
  expect((await stored("r-%")).rows).toEqual([]);
  followed.length = 0;
  expect((await app.admin.post("/api/db/bells", rows)).status).toBe(201);
  expect(followed).toEqual(rows.map(({ name }) => name));
  const twin = await app.admin.post("/api/db/bells", rows[3]);
  expect([twin.status, twin.json.error]).toEqual([409, expect.stringContaining('called "r-3"')]);
});

test("what a part of a row makes of the whole is judged, and its secret is sealed", async () => {
  const row = { name: "w-1", title: "ring", events: ["one"], password: "swordfish" };
  const made = await app.admin.post("/api/db/bells", row, returned);
  expect([made.status, made.json[0].password]).toEqual([201, "********"]);
  const before = (await stored("w-1")).rows;
  expect(JSON.stringify(before)).not.toContain("swordfish");
  expect(Object.keys(before[0].sealed as object)).toHaveLength(1);

  const patch = (change: object) => app.admin.patch("/api/db/bells?name=eq.w-1", change, returned);
  const silent = await patch({ title: "silence" });
  expect([silent.status, silent.json.issues]).toMatchObject([400, [{ path: "title" }]]);
  const part = await patch({ password: "plain" });
  expect([part.status, part.text]).toEqual([400, expect.stringContaining("all of its columns")]);
  expect((await stored("w-1")).rows).toEqual(before);

  expect((await patch({ title: "toll" })).json[0]).toMatchObject({ title: "toll" });
  const kept = await patch({ ...row, password: "********" });
  expect([kept.status, (await stored("w-1")).rows]).toEqual([200, before]);
  const changed = await patch({ ...row, password: "herring" });
  expect([changed.status, changed.text]).toEqual([200, expect.not.stringContaining("herring")]);
  expect((await stored("w-1")).rows).not.toEqual(before);
  expect((await patch({ deleted_at: "now" })).status).toBe(200);
});

test("pruning keeps to the kinds that are named, in one transaction with the rest", async () => {
  const text = [canary("p-1"), bell("p-2")];
  await saveDocuments(app.app.ctx, kinds, { text: text.join("---\n"), source: "prune" });
  const bells = await saveDocuments(app.app.ctx, kinds, {
    text: bell("p-3"),
    source: "prune",
    prune: "!team",
    pruneKinds: [bellKind],
  });
  expect(bells.documents.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
    "p-3 created",
    "p-2 deleted",
  ]);
  expect(followed.at(-1)).toBe("p-2 deleted");
  const left = await app.db.rows(
    sql`select from canaries where name = 'p-1' and deleted_at is null`,
  );
  expect(left).toHaveLength(1);
});

/** A kind as tables have it whose `source` is one of a few words, and whose names are taken for all sources. */
const { mapSecrets: _, ...plainFormat } = bellFormat;
const gongKind: DocumentKind<PlainDocumentRow> = {
  ...plainRow,
  format: {
    ...plainFormat,
    kind: "Gong",
    name: "gong",
    plural: "gongs",
    envelope: documentEnvelope({ kind: "Gong", apiVersions: ["test.mainstay/v1"], spec }),
  },
  table: "gongs",
  key: { ...plainRow.key, isAcrossSources: true },
  exactSource: { column: "exact_source", word: () => "ConfigFile" },
  follow: async () => {},
};

describe("a kind whose source is a word of a list", () => {
  const gong = (name: string, uid?: string) =>
    bell(name)
      .replace("Bell", "Gong")
      .replace(" }", `${uid ? `, uid: ${uid}` : ""}, labels: { team: x } }`);
  const apply = (texts: string[], source: string, more: object = {}) =>
    saveDocuments(app.app.ctx, [gongKind], { text: texts.join("---\n"), source, ...more });
  const rows = async () =>
    (
      await app.owner.raw(
        "select name, source::text, exact_source from gongs where deleted_at is null order by name",
      )
    ).rows.map(({ name, source, exact_source: exact }) => [name, source, exact]);
  beforeAll(() =>
    app.owner.raw(`
      create type gong_source as enum ('KubernetesCRD', 'ConfigFile', 'UI');
      create table gongs (
        id uuid primary key default generate_ulid(), name text not null, namespace text not null, labels jsonb,
        annotations jsonb, spec jsonb not null, source gong_source, exact_source text, created_by uuid,
        created_at timestamptz default now(), updated_at timestamptz, deleted_at timestamptz);
      create unique index on gongs (name, namespace) where deleted_at is null;
      grant select, insert, update on gongs to public`),
  );

  test("is pruned of the source that is meant, and of no other of the same word", async () => {
    await apply([gong("a-1"), gong("a-2")], "git a");
    await apply([gong("b-1")], "git b");
    await apply([gong("c-1")], "UI");
    await app.owner.raw(
      "insert into gongs (name, namespace, labels, spec, source) values ('d-1', 'default', '{\"team\": \"x\"}', '{}', 'ConfigFile')",
    );
    const pruned = await apply([gong("a-1")], "git a", { prune: "team=x" });
    expect(pruned.documents.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      "a-1 unchanged",
      "a-2 deleted",
    ]);
    expect(await rows()).toEqual([
      ["a-1", "ConfigFile", "git a"],
      ["b-1", "ConfigFile", "git b"],
      ["c-1", "UI", null],
      ["d-1", "ConfigFile", null],
    ]);
  });

  test("is changed from its own source alone, which is named, whether by name or by uid", async () => {
    const [made] = (await apply([gong("e-1")], "git e")).documents;
    for (const text of [gong("e-1"), gong("e-2", made!.id)])
      await expect(apply([text], "git f")).rejects.toThrow(
        "The gong default/e-1 is kept in git e: change it there",
      );
    expect((await apply([gong("e-1")], "git e")).documents).toMatchObject([
      { id: made!.id, outcome: "unchanged" },
    ]);
    const row = (await listRows(app.db, gongKind, { source: "git e" }))[0]!;
    expect([row.id, sourceOf(gongKind, row)]).toEqual([made!.id, "git e"]);
  });

  test("is kept, once deleted, where it is applied again", async () => {
    const [made] = (await apply([gong("g-1")], "UI")).documents;
    await app.owner.raw("update gongs set deleted_at = now() where name = 'g-1'");
    const [again] = (await apply([gong("g-1", made!.id)], "git g")).documents;
    expect(again).toMatchObject({ id: made!.id, outcome: "created" });
    expect((await rows()).find(([name]) => name === "g-1")).toEqual(["g-1", "ConfigFile", "git g"]);
  });
});

test("a kind without secrets needs no column for them", async () => {
  await app.owner.raw(`
    create table notes (
      id uuid primary key default generate_ulid(), name text not null, namespace text not null, labels jsonb,
      annotations jsonb, spec jsonb not null, source text, created_by uuid, created_at timestamptz, updated_at timestamptz,
      deleted_at timestamptz);
    grant select on notes to public`);
  const format = { ...plainFormat, kind: "Note", name: "note", plural: "notes" };
  const notes = documentTable({ ...plainRow, format, table: "notes", follow: async () => {} });
  const pool = app.db.openPool(1);
  try {
    const api = createDataApi<WriteContext>({ pool, ownPool: true, tables: [notes] });
    await api.ready();
    expect(api.schema()?.tables.get("notes")?.columns.has("spec")).toBe(true);
  } finally {
    await pool.end();
  }
  expect(documentTable(canaryKind).hidden).toEqual(["sealed"]);
});

test("an unknown kind is named with what there is", async () => {
  const text = canary("x").replace("kind: Canary", "kind: Kettle");
  await expect(save([text])).rejects.toThrow(
    "line 2, column 7: kind: Expected one of Canary, Bell.",
  );
  await expect(save([text.replace("kind: Kettle\n", "")])).rejects.toThrow(/"kind" is missing/);
});

test("a kind is found by any of its words, which nobody else has", () => {
  for (const word of ["Bell", "bell", "BELLS"]) expect(findKind(kinds, word)).toBe(bellKind);
  expect(findKind(kinds, "kettle")).toBeUndefined();
  const twin = { ...bellKind, format: { ...bellFormat, kind: "Canary" } };
  expect(() =>
    collectKinds([
      { name: "a", documents: [canaryKind] },
      { name: "b", documents: [twin] },
    ]),
  ).toThrow('Two kinds of documents are called "canary".');
});
