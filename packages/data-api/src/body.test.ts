import { describe, expect, test } from "vitest";
import { parseExact, parseVerbatim, readCsv, readPayload } from "./body.ts";
import { ApiError } from "./errors.ts";
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

  test("CSV has a limit of rows", () => {
    expect(() => readCsv(`a\n${"1\n".repeat(10_001)}`)).toThrow(ApiError);
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
