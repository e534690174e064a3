import { expect, test } from "vitest";
import { describeNetworkError } from "./network-errors.ts";
import { isNotTried, NotTried } from "./not-tried.ts";

const withCode = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
const several = (...codes: string[]) =>
  Object.assign(new AggregateError(codes.map(withCode)), { code: codes[0] });

test.each([
  // What is missing is on this side.
  ["EACCES", withCode("EACCES"), true],
  ["EPERM", withCode("EPERM"), true],
  ["no route from here", withCode("ENETUNREACH"), true],
  ["the interface is down", withCode("ENETDOWN"), true],
  ["no address of this family", withCode("EADDRNOTAVAIL"), true],
  ["no handles left", withCode("EMFILE"), true],
  ["nobody resolves names", withCode("EAI_AGAIN"), true],
  ["neither family has a way out", several("ENETUNREACH", "EADDRNOTAVAIL"), true],
  // The target has been tried.
  ["refused", withCode("ECONNREFUSED"), false],
  ["reset", withCode("ECONNRESET"), false],
  ["silent", withCode("ETIMEDOUT"), false],
  ["the host is down", withCode("EHOSTUNREACH"), false],
  ["there is no such name", withCode("ENOTFOUND"), false],
  ["there is no such socket", withCode("ENOENT"), false],
  ["a certificate of another name", withCode("ERR_TLS_CERT_ALTNAME_INVALID"), false],
  ["no IPv6 here, and IPv4 refuses", several("ENETUNREACH", "ECONNREFUSED"), false],
  ["what has no code", new Error("it is wrong"), false],
])("%s", (_, error, expected) => {
  expect(isNotTried(error)).toBe(expected);
  const said = describeNetworkError(error, "db:5432");
  expect(isNotTried(said)).toBe(expected);
  expect(isNotTried(new Error("in other words", { cause: said }))).toBe(expected);
});

test("of several attempts the sentence is about the one that reached something", () => {
  const said = describeNetworkError(several("ENETUNREACH", "ECONNREFUSED"), "db:5432");
  expect(said.message).toBe("connection refused by db:5432");
});

test("a ring of causes ends", () => {
  const ring = new Error("a");
  ring.cause = ring;
  expect(isNotTried(ring)).toBe(false);
  expect(isNotTried(new NotTried("a"))).toBe(true);
  expect(isNotTried("EACCES")).toBe(false);
});
