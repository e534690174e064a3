import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AfterWrite, BeforeWrite, TableDeclaration } from "./declare.ts";
import { createDataApi } from "./engine.ts";
import { asker, countRows, json, kept, openZoo, type Zoo } from "./testing/zoo.ts";

interface Context {
  person: number;
}

class Refused extends Error {}

/** The program's own say in a write, and who may do it. What is written stays. */
let zoo: Zoo;
let ask: ReturnType<typeof asker<Context>>;
const befores: BeforeWrite<Context>[] = [];
const afters: AfterWrite<Context>[] = [];

const tables: TableDeclaration<Context>[] = [
  { name: "books", read: "books" },
  {
    name: "reviews",
    read: "reviews",
    write: "reviews",
    writable: ["id", "book_id", "stars", "body"],
    async beforeWrite(write) {
      befores.push(write);
      if (write.rows.some((row) => row["body"] === "rude")) throw new Refused("Be kind.");
      return write.rows.map((row) => ({ ...row, reviewer_id: write.context.person }));
    },
    async afterWrite(write) {
      afters.push(write);
      if (write.rows.some((row) => row["body"] === "late")) throw new Refused("Too late.");
    },
  },
];

beforeAll(async () => {
  zoo = await openZoo();
  const api = createDataApi<Context>({ pool: zoo.pool, tables });
  await api.ready();
  ask = asker(api, kept(zoo.pool, { person: 3 }));
});

afterAll(() => zoo.close());

beforeEach(() => {
  befores.length = 0;
  afters.length = 0;
});

const shown = { prefer: "return=representation" };
const count = (table: string, where: string) => countRows(zoo, table, where);

describe("hooks", () => {
  test("they see the rows, may change them, and get the affected rows whole", async () => {
    const response = await ask({
      method: "POST",
      url: "reviews?select=id,reviewer_id",
      headers: shown,
      body: [
        { id: 301, book_id: 1, stars: 5, body: "a" },
        { id: 302, book_id: 1, stars: 4, body: "b" },
      ],
    });
    expect(json(response)).toEqual([
      { id: 301, reviewer_id: 3 },
      { id: 302, reviewer_id: 3 },
    ]);
    expect(befores).toMatchObject([
      { verb: "insert", rows: [{ id: 301 }, { id: 302 }], context: { person: 3 } },
    ]);
    expect(afters[0]?.rows).toMatchObject([
      { id: 301, reviewer_id: 3, at: "2024-02-01T00:00:00+00:00" },
      { id: 302 },
    ]);
    await ask({ method: "PATCH", url: "reviews?id=eq.301", body: { stars: 1 } });
    expect(afters[1]).toMatchObject({ verb: "update", rows: [{ id: 301, stars: 1 }] });
    await ask({ method: "DELETE", url: "reviews?id=in.(301,302)" });
    expect(befores[2]).toMatchObject({ verb: "delete", rows: [] });
    expect(afters[2]).toMatchObject({ verb: "delete", rows: [{ id: 301 }, { id: 302 }] });
  });

  test("what a hook throws reaches the program, and nothing is written", async () => {
    await expect(
      ask({ method: "POST", url: "reviews", body: { id: 303, stars: 5, body: "rude" } }),
    ).rejects.toThrow(Refused);
    await expect(
      ask({ method: "POST", url: "reviews", body: { id: 303, stars: 5, body: "late" } }),
    ).rejects.toThrow(Refused);
    expect(await count("reviews", "id = 303")).toBe(0);
  });
});

describe("permission", () => {
  const only = (action: "read" | "write") => (_: string, asked: string) => asked === action;

  test.for(["POST", "PATCH", "DELETE"])("%s without leave to write", async (method) => {
    const response = await ask({
      method,
      url: "reviews?id=eq.1",
      body: { stars: 1 },
      can: only("read"),
    });
    expect(response.status).toBe(403);
    expect(json(response)).toMatchObject({
      message: "You do not have permission to write reviews.",
      error: "You do not have permission to write reviews.",
    });
    expect(befores).toHaveLength(0);
  });

  test("writing alone does not read: no rows back, no conditions", async () => {
    const can = only("write");
    const body = { id: 304, stars: 1 };
    expect((await ask({ method: "POST", url: "reviews", body, headers: shown, can })).status).toBe(
      403,
    );
    expect(
      (await ask({ method: "PATCH", url: "reviews?stars=eq.5", body: { stars: 1 }, can })).status,
    ).toBe(403);
    expect((await ask({ method: "POST", url: "reviews", body, can })).status).toBe(201);
  });

  test("an embed in the answer needs its own permission, before anything is written", async () => {
    const can = (resource: string) => resource !== "books";
    const body = { id: 305, stars: 1, book_id: 1 };
    const response = await ask({
      method: "POST",
      url: "reviews?select=id,books(title)",
      body,
      headers: shown,
      can,
    });
    expect(response.status).toBe(403);
    expect(await count("reviews", "id = 305")).toBe(0);
  });
});
