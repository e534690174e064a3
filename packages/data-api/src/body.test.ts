import { describe, expect, test, vi } from "vitest";
import { parseExact, parseVerbatim, readCsv, readPayload } from "./body.ts";
import { ApiError } from "./errors.ts";
import { limits } from "./limits.ts";
import type { DataApiRequest } from "./request.ts";

const read = (type: string | undefined, body: string) => {
  const request: DataApiRequest<object> = {
    method: "POST",
    path: "table",
    query: "",
    headers: { "content-type": type },
    body,
    can: () => true,
  };
  return readPayload(request, { mayDiffer: false, isExact: false }).rows;
};

describe("rows of a body", () => {
  test.for<[string | undefined, string, unknown]>([
    [undefined, '{"a":1}', [{ a: 1 }]],
    ["application/json; charset=utf-8", '[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
    [
      "text/csv",
      'a,b\n"of ""two"", words",NULL\n,x\n',
      [
        { a: 'of "two", words', b: null },
        { a: "", b: "x" },
      ],
    ],
    ["text/csv; charset=utf-8", "a,b\r\n1,2,3\r\n", [{ a: "1", b: "2" }]],
    ["text/csv", "a,b\n1\n", [{ a: "1" }]],
    ["text/csv", "a,b\n", []],
    ["application/x-www-form-urlencoded", "a=x+y&b=%26", [{ a: "x y", b: "&" }]],
  ])("%s %j", ([type, body, rows]) => {
    expect(read(type, body)).toEqual(rows);
  });

  test.for<[string, string]>([
    ["text/plain", "a"],
    ["text/csv", "a,b\n1,2\n3\n"],
    ["text/csv", "a,b"],
    ["text/csv", ""],
    ["application/json", "["],
    ["application/json", '[{"a":1},{"b":1}]'],
  ])("%s %j is refused", ([type, body]) => {
    expect(() => read(type, body)).toThrow(ApiError);
  });

  test.for<[string, string]>([
    ["rows", `[${'{"a":1},'.repeat(limits.bodyRows)}{"a":1}]`],
    ["levels", `{"a":${"[".repeat(limits.bodyDepth)}${"]".repeat(limits.bodyDepth)}}`],
    ["levels", "[".repeat(15_000_000)],
    ["values", `{"a":[${"1,".repeat(limits.bodyValues)}1]}`],
  ])("too many %s are refused before they are read", ([what, body]) => {
    const parse = vi.spyOn(JSON, "parse");
    try {
      expect(() => read("application/json", body)).toThrow(
        `too many or too long: ${what} in the body`,
      );
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
    }
  });

  /** Quotes and backslashes before what would count outside of a text. */
  const quotedTexts = ["[\\", '[\\",{[', '"', "", "\\", '\\\\"[', "[[,"].map((a) => ({ a }));

  test.for<[string, unknown]>([
    [`{"a":"${"[{,".repeat(limits.bodyRows)}"}`, [{ a: "[{,".repeat(limits.bodyRows) }]],
    [String.raw`[{"a":"\\"},{"a":"\"[[,"}]`, [{ a: "\\" }, { a: '"[[,' }]],
    [JSON.stringify(quotedTexts), quotedTexts],
    [
      `[${'{"a":1},'.repeat(limits.bodyRows - 1)}{"a":1}]`,
      Array.from({ length: limits.bodyRows }, () => ({ a: 1 })),
    ],
    [`[{"a":[${"1,".repeat(limits.bodyRows)}1]}]`, [{ a: Array(limits.bodyRows + 1).fill(1) }]],
  ])("what stands in texts and lists counts for nothing else", ([body, rows]) => {
    expect(read("application/json", body)).toEqual(rows);
  });

  test("CSV has a limit of rows", () => {
    const rows = (count: number) => `a\n${"1\n".repeat(count)}`;
    expect(readCsv(rows(limits.bodyRows))).toHaveLength(limits.bodyRows);
    expect(() => readCsv(rows(limits.bodyRows + 1))).toThrow(/rows in the body/);
    // Not even looked at: there is no end of this text.
    expect(() => readCsv(`${rows(limits.bodyRows + 1)}"`)).toThrow(/rows in the body/);
  });
});

test.for<[string, string, string]>([
  ["12", "12", "12"],
  ["1.50", "1.5", "1.50"],
  ["1e2", "100", "1e2"],
  ["-0.0", "0", "-0.0"],
  ["9007199254740993", "9007199254740993", "9007199254740993"],
  ["0.1000000000000000000001", "0.1000000000000000000001", "0.1000000000000000000001"],
  ["1e400", "1e400", "1e400"],
  [
    '[1,{"a":12345678901234567890}]',
    '[1,{"a":12345678901234567890}]',
    '[1,{"a":12345678901234567890}]',
  ],
])("the number %s keeps what it says", ([text, exact, verbatim]) => {
  expect(JSON.stringify(parseExact(text))).toBe(exact);
  expect(JSON.stringify(parseVerbatim(text))).toBe(verbatim);
});
