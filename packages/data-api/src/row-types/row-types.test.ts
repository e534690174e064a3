import { afterAll, beforeAll, expect, test } from "vitest";
import { createDataApi } from "../engine.ts";
import { openZoo, type Zoo } from "../testing/zoo.ts";
import { rowTypes } from "./row-types.ts";

let zoo: Zoo;
beforeAll(async () => {
  zoo = await openZoo();
});
afterAll(() => zoo.close());

test("types are those of the JSON, and hidden columns are not there", async () => {
  const api = createDataApi<object>({
    pool: zoo.pool,
    tables: [
      {
        name: "books",
        read: "x",
        columns: ["id", "title", "mood", "pages", "in_print", "tags", "attributes", "published_at"],
        hidden: ["title"],
      },
      { name: "Odd Names", read: "x", columns: ["the id"] },
    ],
  });
  await api.ready();
  const schema = api.schema();
  expect(schema && rowTypes(schema as never)).toBe(`export interface Rows {
  "Odd Names": {
    "the id": number;
  };
  books: {
    id: number;
    mood: "sad" | "ok" | "happy";
    pages: number | null;
    in_print: boolean;
    tags: (string | null)[];
    attributes: unknown;
    published_at: string | null;
  };
}
`);
});
