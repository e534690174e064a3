import { expect, test } from "vitest";
import { isTransient } from "./transient-error.ts";

const withCode = (code: string) => Object.assign(new Error("x"), { code });

test.each([
  ["the server is being stopped", withCode("57P01"), true],
  ["it recovers", withCode("57P03"), true],
  ["too many connections", withCode("53300"), true],
  ["the disk is full", withCode("53100"), true],
  ["a connection failure", withCode("08006"), true],
  ["a standby", withCode("25006"), true],
  ["a collision", withCode("40001"), true],
  ["a deadlock", withCode("40P01"), true],
  ["a lock that takes long", withCode("55P03"), true],
  ["refused", withCode("ECONNREFUSED"), true],
  ["the socket is gone", withCode("ENOENT"), true],
  ["cut off", new Error("Connection terminated unexpectedly"), true],
  ["the pool is full", new Error("timeout exceeded when trying to connect"), true],
  ["text that jsonb refuses", withCode("22P05"), false],
  ["a broken rule", withCode("23514"), false],
  ["a missing column", withCode("42703"), false],
  ["too complex", withCode("54001"), false],
  ["cancelled for taking too long", withCode("57014"), false],
  ["an internal error", withCode("XX000"), false],
  ["raised by a trigger", withCode("P0001"), false],
  ["too deep for us", new RangeError("Maximum call stack size exceeded"), false],
  ["a bug of ours", new TypeError("x is not a function"), false],
  [
    "rolled back regardless",
    new Error("The transaction was rolled back: a statement in it had failed."),
    false,
  ],
  ["a key of every object", withCode("constructor"), false],
  ["no error at all", "Connection terminated", false],
])("%s", (_, error, expected) => {
  expect(isTransient(error)).toBe(expected);
});
