import { createDataApi, type DataApi } from "@mainstay/data-api";
import { isAllowed, type Resource, resources, type Role, roles } from "@mainstay/contract";
import { sample } from "@mainstay/testkit/sample.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { prepareDataRoles } from "#platform/db/data-role.ts";
import { createLog } from "#platform/log.ts";
import type { WriteContext } from "#platform/table.ts";
import { features } from "./features.ts";
import { testDatabase } from "./testing/app.ts";

/**
 * Every role, every table, every way of asking: what the data API answers beside the specification's matrix (document
 * 1, section 6), which stands here as the specification writes it; what administrators have for themselves is ours.
 * That a union of roles may what any of them may is shown of the matrix itself, for all unions; of the data API, which
 * asks the matrix, for a sample of them.
 */

const responding = ["responder", "incident", "evidences", "comments"];
const administration = ["audit", "security", "server_code"];
const guarded = ["rbac", "identities", "connections", ...administration];

const specified: Record<
  Role,
  { read: (name: string) => boolean; write: (name: string) => boolean }
> = {
  admin: { read: () => true, write: () => true },
  editor: {
    read: (name) => !administration.includes(name),
    write: (name) => !guarded.includes(name),
  },
  commander: {
    read: (name) => !guarded.includes(name),
    write: (name) => responding.includes(name),
  },
  responder: {
    read: (name) => !guarded.includes(name),
    write: (name) => responding.includes(name),
  },
  viewer: { read: (name) => !guarded.includes(name), write: () => false },
};

const unions: Role[][] = Array.from({ length: 2 ** roles.length - 1 }, (_, index) =>
  roles.filter((_role, bit) => ((index + 1) & (1 << bit)) !== 0),
);

const walked = [
  ...roles.map((role) => [role]),
  ...sample(
    unions.filter(({ length }) => length > 1),
    2,
  ),
];

const may = (union: readonly Role[], resource: string, action: "read" | "write") =>
  union.some((role) => specified[role][action](resource));

const tables = features.flatMap((feature) => feature.tables ?? []);

let database: Awaited<ReturnType<typeof testDatabase>>;
let pool: ReturnType<typeof database.db.openPool>;
let api: DataApi<WriteContext>;

beforeAll(async () => {
  database = await testDatabase();
  const roles = await prepareDataRoles(database.db, createLog("error"), tables, database.owner);
  pool = database.db.openPool(4, roles?.read);
  api = createDataApi<WriteContext>({ pool, ownPool: true, tables });
  await api.ready();
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

class WriteReached extends Error {}

async function ask(
  union: readonly Role[],
  method: string,
  url: string,
  body?: object,
): Promise<number> {
  const mark = url.indexOf("?");
  try {
    const answer = await api.handle({
      method,
      path: mark < 0 ? url : url.slice(0, mark),
      query: mark < 0 ? "" : url.slice(mark + 1),
      headers: { prefer: "count=exact" },
      body: body && JSON.stringify(body),
      can: (resource, action) => isAllowed(union, resource as Resource, action),
      // Rules about rows ask for it.
      asker: { kind: "person", id: "00000000-0000-0000-0000-0000000000ff", roles: union },
      // Whoever gets here was let through; what then happens is the tables' own tests' matter.
      write: () => Promise.reject(new WriteReached()),
    });
    return answer.status;
  } catch (error) {
    if (error instanceof WriteReached) return 299;
    throw error;
  }
}

test("the tables are there, and so are all unions of roles", () => {
  expect(tables.length).toBeGreaterThan(25);
  expect(unions.length).toBe(31);
});

describe.each(walked.map((union) => [union.join("+"), union] as const))("%s", (_, union) => {
  test("reads what it may, by rows, counts, filters and orders", async () => {
    const wrong: string[] = [];
    for (const { name, read } of tables) {
      const columns = [...(api.schema()?.tables.get(name)?.columns.keys() ?? [])];
      const [column = "id"] = columns;
      const requests: [method: string, url: string][] = [
        ["GET", `${name}?limit=1`],
        ["HEAD", `${name}?limit=1`],
        ["GET", `${name}?select=${column}&${column}=not.is.null&limit=1`],
        ["GET", `${name}?order=${column}&limit=1`],
        ["GET", `${name}?${column}.filter=`],
      ];
      for (const [method, url] of requests) {
        const status = await ask(union, method, url);
        const isAllowedNow = status === 200 || status === 206;
        if (isAllowedNow !== may(union, read, "read") || (!isAllowedNow && status !== 403))
          wrong.push(`${method} ${url}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("writes what it may", async () => {
    const wrong: string[] = [];
    for (const { name, read, write, writable = [], verbs } of tables) {
      const [column] = writable;
      const body = column === undefined ? {} : { [column]: "x" };
      const filter = `${api.schema()?.tables.get(name)?.key[0] ?? column ?? "id"}=is.null`;
      for (const [method, verb] of [
        ["POST", "insert"],
        ["PATCH", "update"],
        ["DELETE", "delete"],
      ] as const) {
        const status = await ask(
          union,
          method,
          method === "POST" ? name : `${name}?${filter}`,
          body,
        );
        const isOpen = write !== undefined && (verbs ?? [verb]).includes(verb);
        // Naming rows by what is in them is reading.
        const wanted =
          isOpen && may(union, write, "write") && (method === "POST" || may(union, read, "read"));
        const isClosed = status === 403 || (!isOpen && status === 405);
        if (wanted ? status !== 299 : !isClosed) wrong.push(`${method} ${name}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("embeds what it may, and nothing in silence", async () => {
    const wrong: string[] = [];
    for (const { name, read } of tables) {
      for (const { to, constraint, cardinality, isSelf } of api.schema()?.tables.get(name)
        ?.relationships ?? []) {
        if (cardinality === "many-to-many" || isSelf) continue;
        const target = tables.find((table) => table.name === to);
        const status = await ask(union, "GET", `${name}?select=${to}!${constraint}(*)&limit=1`);
        const wanted = may(union, read, "read") && may(union, target?.read ?? "", "read");
        const isAmbiguous = status === 300;
        if (!isAmbiguous && (status === 200 || status === 206) !== wanted)
          wrong.push(`${name} with ${to}: ${status}`);
        if (!isAmbiguous && !wanted && status !== 403) wrong.push(`${name} with ${to}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

test("the matrix is the specification's, for resources without a table as well", () => {
  for (const resource of resources)
    for (const union of unions)
      for (const action of ["read", "write"] as const)
        expect([resource, union, action, isAllowed(union, resource, action)]).toEqual([
          resource,
          union,
          action,
          may(union, resource, action),
        ]);
});

test("a server's settings widen one permission, and no other", () => {
  const settings = { codeRoles: ["admin", "editor"] as const };
  for (const resource of resources)
    for (const role of roles)
      for (const action of ["read", "write"] as const)
        expect(isAllowed([role], resource, action, settings)).toBe(
          isAllowed([role], resource, action) || (resource === "server_code" && role === "editor"),
        );
});

test("what is not declared is not there, for nobody", async () => {
  for (const name of ["identity_sessions", "identity_credentials", "migrations", "pg_class"])
    expect(await ask(["admin"], "GET", name)).toBe(404);
  expect(await ask(["admin"], "GET", "rpc/pg_sleep?n=1")).toBe(404);
});

test("a hidden column is refused like one that does not exist", async () => {
  const hidden = tables.flatMap(({ name, hidden: columns = [] }) =>
    columns.map((column) => [name, column] as const),
  );
  expect(hidden.length).toBeGreaterThan(0);
  for (const [name, column] of hidden) {
    for (const query of [
      `select=${column}`,
      `${column}=eq.x`,
      `order=${column}`,
      `${column}.filter=x`,
    ])
      expect(await ask(["admin"], "GET", `${name}?${query}`)).toBe(
        await ask(["admin"], "GET", `${name}?${query.replace(column, "no_such_column")}`),
      );
  }
});
