import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineLevelOf, lineLevels, spellingsOf } from "./line-level.ts";
import { LogSearchError, logSearchLimits, type LogTerm } from "./log-search.ts";
import { parseLogSearch, readLogSearch } from "./parse-log-search.ts";
import { printLogSearch } from "./print-log-search.ts";

const text = (said: string, isNot = false): LogTerm => ({ kind: "text", text: said, isNot });

describe("parseLogSearch", () => {
  it.each<[string, LogTerm[]]>([
    ["", []],
    ["timeout", [text("timeout")]],
    ["connection refused", [text("connection"), text("refused")]],
    ['"connection refused"', [text("connection refused")]],
    [String.raw`"a \"b\" \\c"`, [text(String.raw`a "b" \c`)]],
    ["-health !probe", [text("health", true), text("probe", true)]],
    ['-"GET /health"', [text("GET /health", true)]],
    // What people paste is looked for as it is.
    [
      "http://db:5432/x?a=b error: at(main.ts:3)",
      ["http://db:5432/x?a=b", "error:", "at(main.ts:3)"].map((word) => text(word)),
    ],
    ["- a", [text("-"), text("a")]],
    ["app=web", [{ kind: "label", label: "app", values: ["web"], isNot: false }]],
    [
      "k8s.io/app=web,api",
      [{ kind: "label", label: "k8s.io/app", values: ["web", "api"], isNot: false }],
    ],
    [
      '"odd label"="two words"',
      [{ kind: "label", label: "odd label", values: ["two words"], isNot: false }],
    ],
    ["app!=web", [{ kind: "label", label: "app", values: ["web"], isNot: true }]],
    ["-app!=web", [{ kind: "label", label: "app", values: ["web"], isNot: false }]],
    ["pod=~^web-.*", [{ kind: "pattern", label: "pod", pattern: "^web-.*", isNot: false }]],
    [
      String.raw`message!~"a\d+ \"b\""`,
      [{ kind: "pattern", label: "message", pattern: String.raw`a\d+ "b"`, isNot: true }],
    ],
    ["level>=warn", [{ kind: "level", levels: ["warn", "error", "fatal"], isNot: false }]],
    ["level<info", [{ kind: "level", levels: ["trace", "debug"], isNot: false }]],
    ["level=WARNING,err", [{ kind: "level", levels: ["warn", "error"], isNot: false }]],
    ["-level=debug", [{ kind: "level", levels: ["debug"], isNot: true }]],
    // In quotation marks it is a label like any other.
    ['"level"=odd', [{ kind: "label", label: "level", values: ["odd"], isNot: false }]],
  ])("reads %s", (said, terms) => {
    expect(parseLogSearch(said).terms).toEqual(terms);
  });

  it("takes moments as the range", () => {
    expect(parseLogSearch('time>now-2h time<="2026-11-01 10:00" x')).toEqual({
      terms: [text("x")],
      after: "now-2h",
      before: "2026-11-01 10:00",
    });
  });

  it.each<[string, number, RegExp]>([
    ['a "b', 2, /no end/],
    ['""', 0, /nothing/],
    ["app=", 4, /missing/],
    ["app=a,", 6, /missing/],
    ["app>3", 0, /only level and time/],
    ["level>=loud", 7, /no level/],
    ["level>fatal", 6, /no level is above/],
    ["level>=warn,error", 7, /one level/],
    ["pod=~(", 5, /cannot be read/],
    ["time>soon", 5, /no moment/],
    ["time=now", 0, /">" or "<"/],
    ["-time>now", 1, /turned around/],
  ])("says what is wrong with %s, and where", (said, at, message) => {
    const error = readLogSearch(said).error;
    expect(error).toBeInstanceOf(LogSearchError);
    expect(error?.message).toMatch(message);
    expect(error?.at).toBe(at);
  });

  it("bounds what it reads", () => {
    const { terms, length, pattern, values } = logSearchLimits;
    const wrong = (said: string) => {
      const { error } = readLogSearch(said);
      return [error?.message, error?.at];
    };
    expect(wrong("x ".repeat(terms + 1))).toEqual([
      `a search has at most ${terms} terms`,
      terms * 2,
    ]);
    expect(wrong("x".repeat(length + 1))[0]).toBe(`a search has at most ${length} characters`);
    expect(wrong(`a=~${"x".repeat(pattern + 1)}`)).toEqual([
      `a pattern has at most ${pattern} characters`,
      3,
    ]);
    expect(wrong(`a=${"x,".repeat(values)}x`)[0]).toBe(`a term has at most ${values} values`);
  });

  it("says what stands where", () => {
    const said = '-app=web,"a b" level>=warn x';
    const { tokens, error } = readLogSearch(said);
    expect(error).toBeUndefined();
    expect(tokens.map(({ kind, from, to }) => [kind, said.slice(from, to)])).toEqual([
      ["not", "-"],
      ["label", "app"],
      ["operator", "="],
      ["value", "web"],
      ["value", '"a b"'],
      ["label", "level"],
      ["operator", ">="],
      ["value", "warn"],
      ["text", "x"],
    ]);
  });

  it("reads what it printed, whatever is in it", () => {
    const said = fc.oneof(
      fc.string({ minLength: 1, maxLength: 12 }),
      fc.constantFrom("-x", "!", "a=b", 'a"b', "\\", "level", "time", "a b", "x=~y"),
    );
    const isNot = fc.boolean();
    const term = fc.oneof<fc.Arbitrary<LogTerm>[]>(
      fc.record({ kind: fc.constant("text" as const), text: said, isNot }),
      fc.record({
        kind: fc.constant("label" as const),
        label: said,
        values: fc.array(fc.oneof(said, fc.constant("")), { minLength: 1, maxLength: 3 }),
        isNot,
      }),
      fc.record({
        kind: fc.constant("pattern" as const),
        label: said,
        pattern: fc.constantFrom("^a.*b$", String.raw`\d "x"`, String.raw`\\`, "a b", "[,]"),
        isNot,
      }),
      fc.record({
        kind: fc.constant("level" as const),
        levels: fc.subarray([...lineLevels], { minLength: 1 }),
        isNot,
      }),
    );
    fc.assert(
      fc.property(fc.array(term, { maxLength: 5 }), (terms) => {
        expect(parseLogSearch(printLogSearch({ terms })).terms).toEqual(terms);
      }),
      { numRuns: 2000 },
    );
  });

  it("ends with any text, in terms or with a place", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200, unit: "binary" }), (said) => {
        const { error } = readLogSearch(said);
        if (error) expect(error.at).toBeLessThanOrEqual(said.length);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("lineLevelOf", () => {
  it("knows what programs write", () => {
    expect(["WARN", "Warning", "err", "CRITICAL", "notice", " info "].map(lineLevelOf)).toEqual([
      "warn",
      "warn",
      "error",
      "fatal",
      "info",
      "info",
    ]);
    expect(["", "loud", "constructor"].map(lineLevelOf)).toEqual([undefined, undefined, undefined]);
  });

  it("knows every spelling of a level", () => {
    for (const level of lineLevels)
      expect(spellingsOf(level).map(lineLevelOf)).toEqual(spellingsOf(level).map(() => level));
  });
});
