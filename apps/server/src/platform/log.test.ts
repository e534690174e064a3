import { expect, test } from "vitest";
import { createLog } from "./log.ts";

function write(level: Parameters<typeof createLog>[0], fields: object): string {
  let text = "";
  createLog(level, { write: (line) => void (text += line) }).info(fields, "said");
  return text;
}

test.each([
  "password",
  "token",
  "secret",
  "authorization",
  "cookie",
  "set-cookie",
  "x-session-token",
  "session_token",
  "access_token",
  "csrf_token",
  "certificate",
  "databaseUrl",
  "migrationDatabaseUrl",
  "adminPassword",
  "connectionString",
])("%s is not written, at the top and two levels down", (name) => {
  const text = write("info", {
    [name]: "hidden",
    one: { [name]: "hidden", kept: "seen", two: { [name]: "hidden" } },
  });
  expect(text).not.toContain("hidden");
  expect(text.match(/\[redacted\]/g)).toHaveLength(3);
  expect(text).toContain("seen");
});

test("a line is JSON with a readable time, and below the level nothing is written", () => {
  expect(JSON.parse(write("info", { a: 1 }))).toMatchObject({
    level: 30,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    msg: "said",
    a: 1,
  });
  expect(write("warn", {})).toBe("");
  expect(write("silent", {})).toBe("");
});

test("an error is written with its cause", () => {
  const text = write("info", { err: new Error("outer", { cause: new Error("inner") }) });
  expect(text).toContain("outer");
  expect(text).toContain("inner");
});
