import sql, { raw } from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TableDeclaration } from "./declare.ts";
import { createDataApi } from "./engine.ts";
import { asker, json, openZoo, type Zoo } from "./testing/zoo.ts";

/** Books by titles that are looked up first, however they are written. */
const books: TableDeclaration = {
  name: "books",
  read: "books",
  search: {
    read: "books",
    condition: ({ text, alias, lookUps }) => {
      if (text === "") return undefined;
      const into: string[] = ["what nobody has looked up"];
      lookUps.push({
        values: sql`select title as value from books where title ilike ${text}`,
        into,
      });
      return sql`${raw(`"${alias}".title`)} = any (${into}::text[])`;
    },
  },
};

let zoo: Zoo;
let ask: ReturnType<typeof asker>;
beforeAll(async () => {
  zoo = await openZoo();
  const api = createDataApi({ pool: zoo.pool, tables: [books] });
  await api.ready();
  ask = asker(api);
});
afterAll(() => zoo.close());

test("what a search looks up is what its statement is planned and asked with", async () => {
  const all = json(await ask({ url: "books?select=id,title&order=id" })) as {
    id: number;
    title: string;
  }[];
  const [one, other] = all;
  const found = async (text: string) =>
    json(await ask({ url: `books?select=id&search=${encodeURIComponent(text)}` }));
  // The same shape again and again, with other words.
  for (const { title } of [one!, other!, one!])
    expect(await found(title.toUpperCase())).toEqual(
      all.filter((book) => book.title === title).map((book) => ({ id: book.id })),
    );
  expect(await found("no such title")).toEqual([]);
  expect(await found("")).toHaveLength(all.length);
  const counted = await ask({
    url: `books?select=id&limit=0&search=${encodeURIComponent(one!.title)}`,
    headers: { prefer: "count=exact" },
  });
  expect(counted.headers["content-range"]).toMatch(/\/1$/);
});
