import fc from "fast-check";
import { expect, test } from "vitest";
import { parseSearch, readSearch } from "./parse-search.ts";
import { printSearch } from "./print-search.ts";
import type { SearchNode, SearchQuery } from "./search-query.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }),
  fc.constantFrom("api", "now-2h", "Kubernetes::Pod", "a b", '"', "\\", "-x", "!x", "tags.x", "*"),
);
const wild = fc
  .tuple(fc.boolean(), fc.array(text, { maxLength: 3 }), fc.boolean())
  .map(([isOpen, pieces, isOpenEnded]) => [
    ...(isOpen || pieces.length === 0 ? [""] : []),
    ...pieces,
    ...(isOpenEnded || pieces.length < 2 ? [""] : []),
  ]);
const field = fc.oneof(
  fc.constantFrom("name", "type", "updated_at", "config.spec.replicas", "labels.app/name"),
  fc.tuple(fc.constantFrom("tags", "labels", "properties"), text).map((parts) => parts.join(".")),
);
const value = fc.record({
  pattern: fc.oneof(
    text.map((one) => [one]),
    fc.constant([""]),
    wild,
  ),
  isExcluded: fc.boolean(),
  at: fc.constant(0),
});
const leaf: fc.Arbitrary<SearchNode> = fc.oneof(
  fc.record({
    kind: fc.constant("word" as const),
    pattern: fc.oneof(
      text.map((one) => [one]),
      wild,
    ),
    place: fc.constant("start" as const),
    at: fc.constant(0),
  }),
  fc.record({
    kind: fc.constant("exists" as const),
    field: fc
      .tuple(fc.constantFrom("tags", "labels", "properties"), text)
      .map((parts) => parts.join(".")),
    at: fc.constant(0),
  }),
  fc.record({
    kind: fc.constant("compare" as const),
    field,
    operator: fc.constantFrom("=" as const, "!=" as const),
    values: fc.array(value, { minLength: 1, maxLength: 3 }),
    at: fc.constant(0),
  }),
  fc.record({
    kind: fc.constant("compare" as const),
    field,
    operator: fc.constantFrom("<" as const, ">=" as const),
    values: text.map((one) => [{ pattern: [one], isExcluded: false, at: 0 }]),
    at: fc.constant(0),
  }),
);
const { node } = fc.letrec<{ node: SearchNode }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({
      kind: fc.constantFrom("and" as const, "or" as const),
      parts: fc.array(tie("node"), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant("not" as const), part: tie("node") }),
  ),
}));
const query: fc.Arbitrary<SearchQuery> = fc.record({
  where: node,
  order: fc.array(
    fc.record({ field: text, isDescending: fc.boolean(), at: fc.constant(0) }).filter(
      // What an order begins with is its direction.
      ({ field: name }) => !/^[-+]/.test(name),
    ),
    { maxLength: 2 },
  ),
  limit: fc.option(fc.integer({ min: 1, max: 1000 }), { nil: undefined }),
  offset: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined }),
});

/** Where something stands, and which word comes first, follows from the text. */
const meant = (queries: readonly SearchQuery[]) =>
  JSON.stringify(queries, (key, one: unknown) =>
    key === "at" ? undefined : key === "place" && one === "anywhere" ? "start" : one,
  );
const meantOf = (queries: readonly SearchQuery[]) =>
  meant(queries).replaceAll(/"place":"(?:start|whole|anywhere)",?/g, "");

test("what is printed reads as what it was", () => {
  fc.assert(
    fc.property(fc.array(query, { minLength: 1, maxLength: 2 }), (queries) => {
      const printed = printSearch(queries);
      const again = parseSearch(printed);
      expect(meantOf(again)).toBe(meantOf(queries));
      // And what has been read is printed in the same words.
      expect(printSearch(again)).toBe(printed);
    }),
    { numRuns: 500 },
  );
});

test("whatever can be read can be printed, and what was understood stands in order within the text", () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom("name", "tag:", "*=", "=", "!=", "(", ")", "|", ";", '"', ",", "-", " ", "a"),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }).map((parts) => parts.join("")),
      (typed) => {
        const { queries, error, tokens } = readSearch(typed);
        let end = 0;
        for (const { from, to } of tokens) {
          expect(from).toBeGreaterThanOrEqual(end);
          expect(to).toBeGreaterThan(from);
          end = to;
        }
        expect(end).toBeLessThanOrEqual(typed.length);
        if (error) expect(error.at).toBeLessThanOrEqual(typed.length);
        else expect(meant(parseSearch(printSearch(queries)))).toBe(meant(queries));
      },
    ),
    { numRuns: 2_000 },
  );
});

const tokensOf = (typed: string) =>
  readSearch(typed).tokens.map(({ kind, from, to }) => `${kind} ${typed.slice(from, to)}`);

test.each<[string, string[]]>([
  [
    'type=Kubernetes::Pod tag:cluster = prod name*=api "free text"',
    [
      "field type",
      "operator =",
      "value Kubernetes::Pod",
      "field tag:cluster",
      "operator =",
      "value prod",
      "field name",
      "operator *=",
      "value api",
      'word "free text"',
    ],
  ],
  ["-(labels.x | a)", ["not -", "group (", "field labels.x", "or |", "word a", "group )"]],
  ["type=pod name=", ["field type", "operator =", "value pod", "field name", "operator ="]],
  ['name="a b', ["field name", "operator =", 'open "a b']],
])("of %j it understands %j", (typed, expected) => {
  expect(tokensOf(typed)).toEqual(expected);
});
