import { amount } from "@mainstay/testkit/sample.ts";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { neededWords } from "./needed-words.ts";

test.each<[string, readonly (readonly string[])[]]>([
  ["needle [0-9]+7$", [["needle "]]],
  ["(nobody|nowhere) says [0-9]+", [[" says "], ["nobody", "nowhere"]]],
  [String.raw`\bneedle\b`, [["needle"]]],
  ["(?i)connection", [["connection"]]],
  ["(?i)refused", [["refu"]]],
  ["(?i)disk (?:full|quota)", [["full", "quota"]]],
  ["ab(cd)*ef", []],
  ["abc(def)?ghi", [["abc"], ["ghi"]]],
  ["(abc|d)", []],
  ["time(out)+", [["time"], ["out"]]],
  ["(abcdef){2}", [["abcdef"]]],
  ["(abcdef){0,2}", []],
  ["abc[de]fgh", [["abc"], ["fgh"]]],
  ["abc|", []],
  ["größe", []],
  ["(?i:abc)", []],
  [String.raw`\Qabc\E`, []],
  ["a.b.c", []],
  [String.raw`10\.0\.0\.[0-9]+`, []],
  // Its colon is a sign like others: the class ends at the second bracket.
  ["[[:][^]abc]", []],
])("of %s are needed %j", (pattern, words) => expect(neededWords(pattern)).toEqual(words));

const parts = [
  String.raw`abc ab c k s ask . ^ $ | ( ) (?: (?P<n> [ab] [^a] []a] [[:alpha:]] * + ? {2} {0} {0,1} { }`,
  String.raw`\d \b \B \. \n \x41 \pL \p{Lu} \A \z é 🎉`,
].flatMap((some) => some.split(" "));
const part = fc.constantFrom(...parts);
const texts = fc.array(
  fc.constantFrom(
    "abc",
    "ab",
    "c",
    "ABC",
    "ask",
    "A\u017FK",
    "k",
    "\u212A",
    "s",
    ".",
    "\n",
    "é",
    " ",
    "A",
  ),
  { maxLength: 8 },
);

test("a text in which a pattern is found has what the pattern needs", () => {
  let sure = 0;
  fc.assert(
    fc.property(
      fc.constantFrom("", "", "(?i)", "(?s)", "(?is)", "(?m)"),
      fc.array(part, { minLength: 1, maxLength: 7 }),
      fc.array(texts, { minLength: 5, maxLength: 20 }),
      (flags, taken, all) => {
        const pattern = flags + taken.join("");
        let compiled: RE2JS;
        try {
          compiled = RE2JS.compile(pattern);
        } catch {
          return;
        }
        const needed = neededWords(pattern);
        for (const text of all.map((one) => one.join(""))) {
          if (!compiled.matcher(text).find()) continue;
          if (needed.length > 0) sure += 1;
          for (const words of needed)
            expect([
              pattern,
              text,
              words.some((one) => text.toLowerCase().includes(one.toLowerCase())),
            ]).toEqual([pattern, text, true]);
        }
      },
    ),
    { numRuns: amount(5_000, 2_500) },
  );
  expect(sure).toBeGreaterThan(100);
});
