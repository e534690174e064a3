import fc from "fast-check";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabase } from "../../../testing/app.ts";
import { checkResult } from "./check-result.ts";
import { detailsLimits, storableJson } from "./storable-json.ts";
import { writeResults } from "./write-results.ts";

const read = (value: unknown, limits = detailsLimits) =>
  JSON.parse(storableJson(value, limits)) as Record<string, unknown>;
const small = { ...detailsLimits, depth: 3, values: 10, keysPerObject: 3, keyLength: 5 };

function nested(levels: number): unknown {
  let value: unknown = "deepest";
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

describe("what a target can put into its answer is kept as far as it can be stored", () => {
  const cyclic: Record<string, unknown> = { name: "a" };
  cyclic.self = cyclic;
  cyclic.list = [cyclic];
  const cases: [string, unknown, unknown][] = [
    ["plain values", { a: 1, b: [true, null, "x"] }, { a: 1, b: [true, null, "x"] }],
    ["NUL and half characters in values", { a: "x\0\uD800" }, { a: "x\uFFFD\uFFFD" }],
    ["NUL in a key", JSON.parse('{"\\u0000a":1}'), { "\uFFFDa": 1 }],
    [
      "keys that become the same",
      { "\0": 1, "\uFFFD": 2, "\uDC00": 3 },
      { "\uFFFD": 1, "\uFFFD (2)": 2, "\uFFFD (3)": 3 },
    ],
    ["a cycle", cyclic, { name: "a", self: "(as above)", list: ["(as above)"] }],
    ["what is no number of JSON", [NaN, Infinity, -0], { value: ["NaN", "Infinity", 0] }],
    ["huge and tiny numbers", [1e308, 5e-324], { value: [1e308, 5e-324] }],
    ["whole numbers", [5n, 2n ** 64n], { value: [5, "18446744073709551616"] }],
    [
      "a whole number without end",
      10n ** 5000n,
      { value: "(a whole number of more than 100 digits)" },
    ],
    ["dates", [new Date(0), new Date(NaN)], { value: ["1970-01-01T00:00:00.000Z", null] }],
    [
      "a map",
      new Map<unknown, unknown>([
        ["k", 1],
        [7, 2],
      ]),
      { k: 1, 7: 2 },
    ],
    ["a set", { s: new Set([1]) }, { s: [1] }],
    ["bytes", Buffer.from("abc"), { value: "(3 bytes)" }],
    ["an error", { e: new RangeError("no") }, { e: "RangeError: no" }],
    ["functions and what is not there", { f: () => 1, u: undefined, l: [() => 1] }, { l: [null] }],
    ["toJSON is not called", { toJSON: () => "gone", a: 1 }, { a: 1 }],
    ["a constructor of its own", { constructor: 1 }, { constructor: 1 }],
    [
      "what throws when it is read",
      Object.defineProperty({}, "a", {
        enumerable: true,
        get() {
          throw new Error("no");
        },
      }),
      { a: "(cannot be read)" },
    ],
    ["a proxy", { p: new Proxy({}, {}) }, { p: "(cannot be read)" }],
    ["no object", "text", { value: "text" }],
  ];
  test.each(cases)("%s", (_, value, expected) => {
    expect(read(value)).toEqual(expected);
  });

  test("__proto__ is a key like others", () => {
    const found = read(JSON.parse('{"__proto__":{"admin":true}}'));
    expect(Object.keys(found)).toEqual(["__proto__"]);
    expect((found as { admin?: unknown }).admin).toBeUndefined();
  });
});

describe("what is too much is cut, and says so", () => {
  const cases: [string, unknown, string][] = [
    ["deep", nested(24_000), "at most 64 levels"],
    ["many values", Array.from({ length: 20_000 }, () => 1), "at most 10000 values"],
    [
      "many keys",
      Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [n, 1])),
      "at most 1000 keys of an object",
    ],
    ["a long key", { ["k".repeat(300)]: 1 }, "at most 256 letters of a key"],
    ["a long text", { a: "x".repeat(70_000) }, "at most 65536 letters of a text"],
    ["long as JSON", { a: "\u0001".repeat(60_000) }, "at most 131072 characters of JSON"],
    [
      "long altogether",
      { a: "x".repeat(65_000), b: "y".repeat(65_000), c: "z".repeat(65_000) },
      "at most 131072 characters of JSON",
    ],
  ];
  test.each(cases)("%s", (_, value, said) => {
    const text = storableJson(value);
    expect(text.length).toBeLessThanOrEqual(detailsLimits.length);
    expect((JSON.parse(text) as { cut: string }).cut).toContain(said);
  });

  test("what comes before is kept, and a key of that name too", () => {
    expect(read({ cut: "mine", a: { b: { c: { d: 1 } } } }, small)).toEqual({
      cut: "mine",
      a: { b: { c: "…" } },
      "cut (2)": "Not all of it is kept: at most 3 levels.",
    });
  });
});

const hostileText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("\0", "\uD800", "\uDC00", "a", "\u2028", '"', "\\") }),
  fc.constantFrom("__proto__", "constructor", "toJSON", "cut", "", "length", "\0", "\uFFFD"),
);
const hostileValue = fc.letrec((tie) => ({
  leaf: fc.oneof(
    hostileText,
    fc.double(),
    fc.bigInt(),
    fc.date({ noInvalidDate: false }),
    fc.constantFrom(
      undefined,
      null,
      true,
      () => 1,
      Symbol("\0"),
      /\0/,
      new Error("\0\uD800"),
      -0,
      2 ** 1023,
      Number.MIN_VALUE,
    ),
    fc.integer({ min: 0, max: 400 }).map(nested),
    fc.uint8Array(),
  ),
  node: fc.oneof(
    { maxDepth: 5 },
    tie("leaf"),
    fc.array(tie("node"), { maxLength: 6 }),
    fc.dictionary(hostileText, tie("node"), { maxKeys: 6 }),
    fc
      .array(fc.tuple(hostileText, tie("node")), { maxLength: 4 })
      .map((entries) => new Map(entries)),
    fc.array(tie("node"), { maxLength: 4 }).map((values) => new Set(values)),
  ),
})).node;

describe("whatever a run leaves, PostgreSQL takes it", () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let checkId: string;
  beforeAll(async () => {
    database = await testDatabase();
    const canary = await database.db.first<{ id: string }>(sql`
      insert into canaries (name, namespace, spec, source) values ('hostile', 'default', '{}', 'test') returning id`);
    const check = await database.db.first<{ id: string }>(sql`
      insert into checks (canary_id, type, name) values (${canary!.id}, 'http', 'x') returning id`);
    checkId = check!.id;
  });
  afterAll(() => database.drop());

  test("details, texts, times and numbers of every kind", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          durationMs: fc.oneof(
            fc.double(),
            fc.constantFrom<unknown>("1", undefined, null, 2 ** 40),
          ),
          pass: fc.oneof(fc.boolean(), hostileValue),
          invalid: hostileValue,
          message: fc.oneof(hostileText, hostileValue),
          error: fc.oneof(hostileText, hostileValue),
          details: hostileValue,
          severity: fc.oneof(hostileText, hostileValue),
          failuresNeeded: fc.oneof(fc.double(), fc.integer()),
          successesNeeded: fc.double(),
          nextAt: fc.option(fc.date({ noInvalidDate: false }), { nil: undefined }),
        }),
        async (raw) => {
          const time = new Date(Date.UTC(2026, 3, 1) + run++ * 1000);
          const result = checkResult({ ...raw, checkId, time });
          const written = await database.db.transaction((tx) => writeResults(tx, [result]));
          expect(written).toBe(1);
          // Compared by the database: JSON.parse of Node 24.21 takes an escaped key of one character for a backslash when
          // an object with such a key was read before.
          const row = await database.db.first<{ same: boolean }>(sql`
            select details is not distinct from ${result.details ?? null}::jsonb as same
              from check_statuses where check_id = ${checkId} and time = ${time}`);
          expect(row).toEqual({ same: true });
        },
      ),
      { numRuns: 300 },
    );
  }, 60_000);
});
