import { expect, test } from "vitest";
import { printNanos } from "../nanos.ts";
import { parseLine, zoneOffset } from "./parse-line.ts";

const now = new Date("2026-06-15T12:00:00Z");
const read = (line: string, more: object = {}) => {
  const { nanos, message, labels, level } = parseLine(line, { now, ...more });
  return [nanos === undefined ? undefined : printNanos(nanos), level, message, labels];
};

test.each<[string, unknown[]]>([
  [
    '{"time":"2026-06-15T10:00:00.123456789Z","level":"warning","msg":"slow","http":{"status":500},"tags":["a"]}',
    [
      "2026-06-15T10:00:00.123456789Z",
      "warn",
      "slow",
      { level: "warning", "http.status": "500", tags: '["a"]' },
    ],
  ],
  ['{"ts":1781517600.5,"message":"a"}', ["2026-06-15T10:00:00.500Z", undefined, "a", {}]],
  ['{"broken":', [undefined, undefined, '{"broken":', {}]],
  [
    'time=2026-06-15T10:00:00Z level=error msg="no \\"door\\"" code=7',
    ["2026-06-15T10:00:00.000Z", "error", 'no "door"', { level: "error", code: "7" }],
  ],
  [
    "Jun  5 01:02:03 web sshd[77]: Accepted publickey",
    [
      "2026-06-05T01:02:03.000Z",
      undefined,
      "Accepted publickey",
      { host: "web", app: "sshd", pid: "77" },
    ],
  ],
  // No year: the last one that has been.
  [
    "Dec 31 23:00:00 web cron: x",
    ["2025-12-31T23:00:00.000Z", undefined, "x", { host: "web", app: "cron" }],
  ],
  [
    "2026-06-15T10:00:00.123456+02:00 web app[1]: WARN disk",
    ["2026-06-15T08:00:00.123456Z", "warn", "WARN disk", { host: "web", app: "app", pid: "1" }],
  ],
  [
    '<165>1 2026-06-15T10:00:00.003Z web su - ID47 [a b="c"] failed',
    ["2026-06-15T10:00:00.003Z", "info", "failed", { host: "web", app: "su" }],
  ],
  [
    "<34>Jun 15 10:00:00 web su: failed",
    ["2026-06-15T10:00:00.000Z", "fatal", "failed", { host: "web", app: "su" }],
  ],
  [
    "[2026-06-15 10:00:00,123] ERROR in app: boom",
    ["2026-06-15T10:00:00.123Z", "error", "[2026-06-15 10:00:00,123] ERROR in app: boom", {}],
  ],
  [
    "2026/06/15 10:00:00 [error] 7#0: *1 open() failed",
    ["2026-06-15T10:00:00.000Z", "error", "2026/06/15 10:00:00 [error] 7#0: *1 open() failed", {}],
  ],
  [
    "E0615 10:00:00.123456   1 main.go:7] boom",
    ["2026-06-15T10:00:00.123456Z", "error", "E0615 10:00:00.123456   1 main.go:7] boom", {}],
  ],
  [
    "[Mon Jun 15 10:00:00.5 2026] [core:warn] x",
    ["2026-06-15T10:00:00.500Z", undefined, "[Mon Jun 15 10:00:00.5 2026] [core:warn] x", {}],
  ],
  ["  at main (a.js:1)", [undefined, undefined, "  at main (a.js:1)", {}]],
  ["user=x", [undefined, undefined, "user=x", {}]],
])("%s", (line, expected) => expect(read(line)).toEqual(expected));

test("requests of web servers have their parts as labels", () => {
  const line =
    '10.0.0.1 - ann [15/Jun/2026:10:00:00 +0200] "GET /a?b HTTP/1.1" 503 12 "-" "curl/8"';
  expect(read(line)).toEqual([
    "2026-06-15T08:00:00.000Z",
    "error",
    line,
    {
      client: "10.0.0.1",
      user: "ann",
      method: "GET",
      path: "/a?b",
      status: "503",
      bytes: "12",
      agent: "curl/8",
    },
  ]);
});

test("times without a zone are of the one that is said, over changes of its clocks", () => {
  const offsetMs = zoneOffset("Europe/Berlin");
  expect(read("2026-06-15 10:00:00 a", { offsetMs })[0]).toBe("2026-06-15T08:00:00.000Z");
  expect(read("2026-03-29 01:30:00 a", { offsetMs })[0]).toBe("2026-03-29T00:30:00.000Z");
  expect(read("2026-03-29 03:30:00 a", { offsetMs })[0]).toBe("2026-03-29T01:30:00.000Z");
});

test("fields are those that are said", () => {
  const fields = { timestamp: "when", message: "what", level: "how" };
  expect(
    read('{"when":"2026-06-15T10:00:00Z","what":"a","how":"ERR","level":"info"}', { fields }),
  ).toEqual(["2026-06-15T10:00:00.000Z", "error", "a", { how: "ERR", level: "info" }]);
});

test("a line that would keep a careless pattern busy is read at once", () => {
  for (const line of [
    "a=".repeat(30_000),
    `x="${"\\\\".repeat(30_000)}`,
    "[".repeat(60_000),
    `<1>1 ${"a ".repeat(30_000)}`,
  ])
    expect(read(line)[0]).toBeUndefined();
});
