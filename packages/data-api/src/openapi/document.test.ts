import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDataApi } from "../engine.ts";
import type { Schema } from "../schema/schema.ts";
import { type Reply, startPostgRest } from "../testing/postgrest.ts";
import { comparison, openPostgRest } from "../testing/recorded.ts";
import { openZoo, type Zoo } from "../testing/zoo.ts";
import { openApiDocument, type Usable } from "./document.ts";
import { usableBy } from "./usable.ts";

interface Document {
  info: object;
  paths: Record<string, Record<string, { parameters?: unknown[] }>>;
  definitions: Record<string, { properties: Record<string, object> }>;
  parameters: Record<string, Record<string, unknown>>;
}

const place = {
  version: "1",
  host: "a.example:80",
  basePath: "/",
  scheme: "http",
  secured: false,
} as const;

let zoo: Zoo;
let schema: Schema<object>;
let ours: Document;

const everything = (): Usable => ({
  table: (name) => ({ read: true, verbs: schema.tables.get(name)?.declaration.verbs ?? [] }),
  function: () => true,
});

beforeAll(async () => {
  zoo = await openZoo();
  // As the standalone server does, so that names of types are whole.
  await zoo.pool.query("comment on table genres is E'Kinds of books\\nEach has a name.'");
  const api = createDataApi<object>({ pool: zoo.pool, tables: "all", errors: "whole" });
  await api.ready();
  const known = api.schema();
  if (!known) throw new Error("The schema is not there.");
  schema = known;
  ours = openApiDocument(schema, place, everything()) as unknown as Document;
});

afterAll(() => zoo.close());

/** Where the document says otherwise than PostgREST 12.0.2's, and why. */
const differences: Record<string, string> = {
  "blurbs.book_id": "later versions mark the key of a one-to-one relationship",
  "publishers.head_id": "later versions mark the key of a one-to-one relationship",
  "passports.id": "later versions mark the key of a one-to-one relationship",
  "samples.code": "the column's own default, not its domain's",
  "paints.second": "the column's own default, not its domain's",
};

const facts = ({ body }: Pick<Reply, "body">) => JSON.parse(body) as Document;

test(`definitions are ${comparison}`, async () => {
  const real = await openPostgRest({ name: "document", keepsHeader: () => false, facts }, () =>
    startPostgRest(zoo.url, { PGRST_OPENAPI_MODE: "ignore-privileges" }),
  );
  const theirs = facts(await real.ask({ method: "GET", url: "" }));
  await real.stop();
  expect(Object.keys(ours.definitions).toSorted()).toEqual(
    Object.keys(theirs.definitions).toSorted(),
  );
  const found: string[] = [];
  for (const [table, { properties }] of Object.entries(theirs.definitions)) {
    for (const [column, wanted] of Object.entries(properties)) {
      const mine = ours.definitions[table]?.properties[column];
      if (!isSame(mine, wanted)) found.push(`${table}.${column}`);
    }
  }
  expect(found.toSorted()).toEqual(Object.keys(differences).toSorted());
  for (const [path, verbs] of Object.entries(theirs.paths)) {
    // It offers to change what its views do not allow; ours tell what is possible.
    for (const verb of Object.keys(ours.paths[path] ?? {}))
      expect(Object.keys(verbs)).toContain(verb);
    expect(Object.keys(ours.paths)).toContain(path);
  }
});

/** Types of this database stand without their schema here, as they are written in its search path. */
const isSame = (mine: unknown, theirs: unknown) =>
  JSON.stringify(sorted(mine)) === JSON.stringify(sorted(theirs)).replaceAll("public.", "");

const sorted = (value: unknown) =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)),
      )
    : value;

describe("what a document says", () => {
  test("comments become summaries and descriptions", () => {
    expect(ours.paths["/genres"]?.["get"]).toMatchObject({
      summary: "Kinds of books",
      description: "Each has a name.",
    });
  });

  test("every reference leads somewhere", () => {
    const references = [...JSON.stringify(ours).matchAll(/"\$ref":"#\/(\w+)\/((?:[^"\\]|\\.)*)"/g)];
    expect(references.length).toBeGreaterThan(300);
    for (const [, section, name] of references) {
      const known = section === "parameters" ? ours.parameters : ours.definitions;
      expect(Object.keys(known)).toContain(JSON.parse(`"${name}"`));
    }
  });

  test("a token is asked for only where one is wanted", () => {
    const secured = openApiDocument(schema, { ...place, secured: true }, everything());
    expect(secured).toMatchObject({ security: [{ JWT: [] }] });
    expect(ours).not.toHaveProperty("security");
  });

  test("what may not be used is not there", async () => {
    const declared = createDataApi<object>({
      pool: zoo.pool,
      tables: [
        { name: "genres", read: "a", write: "b", writable: ["name"], verbs: ["insert"] },
        { name: "people", read: "b", hidden: ["email"] },
        { name: "books", read: "c" },
      ],
      functions: [{ name: "add_numbers", resource: "c" }],
    });
    await declared.ready();
    const known = declared.schema();
    const documentFor = (resources: string[]) =>
      openApiDocument(
        known as Schema<never>,
        place,
        usableBy(known as Schema<never>, (resource) => resources.includes(resource)),
      ) as unknown as Document;
    expect(Object.keys(documentFor(["a"]).paths)).toEqual(["/", "/genres"]);
    expect(Object.keys(documentFor(["a"]).paths["/genres"] ?? {})).toEqual(["get"]);
    const both = documentFor(["a", "b"]);
    expect(Object.keys(both.paths["/genres"] ?? {})).toEqual(["get", "post"]);
    expect(both.definitions["people"]?.properties).not.toHaveProperty("email");
    expect(Object.keys(documentFor(["c"]).paths)).toEqual(["/", "/books", "/rpc/add_numbers"]);
  });
});
