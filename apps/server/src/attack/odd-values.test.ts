import { afterAll, beforeAll, expect, test } from "vitest";
import { eachLimited } from "#platform/each-limited.ts";
import { startTestApp, type TestApp } from "../testing/app.ts";
import { createPerson, type TestPerson } from "../testing/people.ts";
import { ask } from "./testing/ask.ts";
import { alarm } from "./testing/calm.ts";
import { type Asked, endpointsOf, NO_ID, tables } from "./testing/endpoints.ts";
import { pairs, sample } from "@mainstay/testkit/sample.ts";

/** Values that nobody expects, for every parameter of every route that tells something. */

let app: TestApp;
let person: TestPerson;
let reading: Asked[];
beforeAll(async () => {
  app = await startTestApp({ role: "api", logLevel: "fatal" });
  person = await createPerson(app, "admin");
  reading = endpointsOf(app).filter(({ isReading }) => isReading);
});
afterAll(() => app.stop());

/** As they stand in an address; some are no text at all. */
const odd: readonly string[] = [
  "",
  "0",
  "-1",
  "1e999",
  "NaN",
  "99999999999999999999999999",
  "0x10",
  "null",
  "true",
  "[]",
  "%7B%7D",
  "%00",
  "a%00b",
  "%FF%FE",
  "%C0%AF",
  "%ED%A0%80",
  "%",
  "%zz",
  "'",
  "%22",
  "%27%20or%201%3D1--",
  "..%2F..%2Fetc%2Fpasswd",
  "%E2%80%AE%F0%9F%92%A5",
  "%0D%0AX-Evil:%201",
  "%3Cscript%3Ealert(1)%3C%2Fscript%3E",
  "__proto__",
  "a".repeat(4_000),
  "now()",
  "2026-02-30T25:61:61Z",
  "-infinity",
  "(((((((((((",
  NO_ID.toUpperCase(),
];

/** What routes read from the query without a schema that would name it, and what the data API knows. */
const common = [
  "id",
  "flow",
  "token",
  "code",
  "return_to",
  "aal",
  "refresh",
  "via",
  "error",
  "state",
];
const ofRows = [
  "select",
  "order",
  "limit",
  "offset",
  "or",
  "and",
  "not.and",
  "columns",
  "on_conflict",
];
const operators = ["eq", "gt", "like", "in", "is", "cs", "fts", "match", "ov", "not.eq", "filter"];

function parametersOf({ route, query }: Asked): string[] {
  if (!route.startsWith("/api/db/")) return [...new Set([...query, ...common])];
  const table = tables.find(({ name }) => route === `/api/db/${name}`);
  const columns = table ? ["id", "name"] : [];
  return [
    ...ofRows,
    ...columns.flatMap((column) => [
      column,
      `${column}->x`,
      `${column}.filter`,
      ...operators.map((operator) => `${column}=${operator}.`),
    ]),
  ];
}

/** The address with an odd value in the place of one of its parameters. */
function withValue(asked: Asked, parameter: string, value: string): string {
  if (parameter.startsWith(":"))
    return asked.route.replace(parameter, value).replaceAll(/:\w+/g, "x");
  const path = asked.path.split("?", 1)[0]!;
  return `${path}?${parameter.includes("=") ? parameter : `${parameter}=`}${value}`;
}

test("every route says calmly what is wrong with them: no fault, no stack, no file, no SQL", async () => {
  const parameters = reading.flatMap((asked) =>
    [...(asked.route.match(/:\w+/g) ?? []), ...sample(parametersOf(asked), 7)].map(
      (parameter) => [asked, parameter] as const,
    ),
  );
  const cases = pairs(parameters, odd);
  expect(reading.length).toBeGreaterThan(60);
  expect(odd.length).toBeGreaterThanOrEqual(25);
  const wrong: string[] = [];
  const statuses = new Map<number, number>();
  await eachLimited(cases, 8, async ([[asked, parameter], value]) => {
    const path = withValue(asked, parameter, value);
    const headers = asked.isOpen ? undefined : { "x-session-token": person.token };
    const reply = await ask(app, { method: "GET", path, headers });
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    const found = alarm(reply, value);
    if (reply.headers.get("x-evil") !== null) found.push("a header of the sender's");
    wrong.push(...found.map((what) => `GET ${path.slice(0, 200)}: ${what}`));
  });
  expect(wrong).toEqual([]);
  // It is only worth something when much of it is understood.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(cases.length / 20);
  expect(statuses.get(400) ?? 0).toBeGreaterThan(cases.length / 10);
});

test("a path in which a parameter is odd is no other path", async () => {
  const wrong: string[] = [];
  const withPlaces = endpointsOf(app).filter(({ route }) => route.includes(":"));
  expect(withPlaces.length).toBeGreaterThan(10);
  await eachLimited(pairs(withPlaces, odd), 6, async ([asked, value]) => {
    const path = asked.route.replaceAll(/:\w+/g, value);
    const { isReading, method } = asked;
    const headers = asked.isOpen ? undefined : { "x-session-token": person.token };
    const reply = await ask(app, { method, path, headers, ...(isReading ? {} : { body: "{}" }) });
    wrong.push(...alarm(reply, value).map((what) => `${method} ${path.slice(0, 200)}: ${what}`));
  });
  expect(wrong).toEqual([]);
});
