import { amount } from "@mainstay/testkit/sample.ts";
import fc from "fast-check";
import { RE2JS } from "re2js";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase } from "../../../testing/app.ts";
import { re2ToPostgres } from "./re2-to-postgres.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const texts = [
  "",
  "a",
  "ab",
  "aab",
  "A",
  "k",
  "\u212A",
  "ſ",
  "a\nb",
  "\n",
  "0",
  "_",
  "-",
  "]",
  "^",
  "\\",
  "é",
  "🎉",
  "a b\t",
  "aaaa",
  "a+b",
  ".",
];

const part = fc.constantFrom(
  "a",
  "b",
  "k",
  "s",
  ".",
  "^",
  "$",
  "|",
  "(",
  ")",
  "(?:",
  "[ab]",
  "[^a]",
  "[a-c]",
  "[^\\s]",
  "[]a]",

  "*",
  "+",
  "?",
  "*?",
  "{2}",
  "{1,2}",
  "{0}",
  "\\d",
  "\\w",
  "\\W",
  "\\S",
  "\\.",
  "\\\\",
  "\\n",
  "é",
  "🎉",
  "\\b",
  "[[:alpha:]]",
  "-",
  "]",
  "{",
  "[.-]",
  "[\\]^]",
  "***",
  "(?i)",
  "(?s)",
  " ",
);

test("is found in the same texts as RE2 finds it", async () => {
  let translated = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("", "", "(?i)", "(?s)", "(?is)"),
      fc.array(part, { minLength: 1, maxLength: 6 }),
      async (flags, parts) => {
        const pattern = flags + parts.join("");
        let compiled: RE2JS;
        try {
          compiled = RE2JS.compile(pattern);
        } catch {
          return;
        }
        const other = re2ToPostgres(pattern);
        if (other === undefined) return;
        translated += 1;
        const rows = await database.db.rows<{ found: boolean }>(
          sql`select t ~ ${other} as found from unnest(${texts}::text[]) with ordinality u (t, n) order by n`,
        );
        expect([pattern, rows.map(({ found }) => found)]).toEqual([
          pattern,
          texts.map((text) => compiled.matcher(text).find()),
        ]);
      },
    ),
    { numRuns: amount(3_000, 1_500) },
  );
  expect(translated).toBeGreaterThan(300);
}, 120_000);

test.each([
  "(?i)straße",
  String.raw`\bx`,
  String.raw`\pL`,
  "[[:alpha:]]",
  "(?P<n>a)",
  "a{300}",
  "x\0",
  "(a{200}){200}",
])("leaves %s to RE2", (pattern) => expect(re2ToPostgres(pattern)).toBeUndefined());
