import { describe, expect, test } from "vitest";
import { readConfig } from "../settings.ts";
import { isLoopback, refuseOpenWriting, travelsReadable } from "./exposure.ts";

test.each([
  ["127.0.0.1", true],
  ["127.1.2.3", true],
  ["127.1", true],
  ["::1", true],
  ["0:0:0:0:0:0:0:1", true],
  ["::ffff:127.0.0.1", true],
  ["::1%lo", true],
  ["[::1]", true],
  ["localhost", true],
  ["LOCALHOST", true],
  ["localhost.", true],
  ["0.0.0.0", false],
  ["0", false],
  ["::", false],
  ["::ffff:0.0.0.0", false],
  ["::ffff:10.0.0.1", false],
  ["10.0.0.1", false],
  ["fe80::1%eth0", false],
  ["localhost.example.org", false],
  ["mylocalhost", false],
  ["127.0.0.1.example.org", false],
  ["mainstay.example.org", false],
])("%s is this machine alone: %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

const url = "https://checks.example.org";
const open = { CHECKER_ONLY: "true", CHECKER_WRITE: "true" };
const anyone = { CHECKER_WRITE_ANYONE: "true" };

describe("a server that everybody may write to", () => {
  test.each<[string, Record<string, string>]>([
    ["on this machine", {}],
    ["on this machine, by name", { HOST: "localhost" }],
    ["on this machine, with its own address", { PUBLIC_URL: "http://localhost:3100" }],
    ["elsewhere, acknowledged", { HOST: "0.0.0.0", PUBLIC_URL: url, ...anyone }],
    ["behind a proxy, acknowledged", { PUBLIC_URL: url, ...anyone }],
    ["elsewhere, without writing", { HOST: "0.0.0.0", CHECKER_WRITE: "false" }],
    ["elsewhere, with accounts", { HOST: "0.0.0.0", CHECKER_ONLY: "false" }],
  ])("starts %s", (_, env) => {
    expect(() => refuseOpenWriting(readConfig({}, { ...open, ...env }))).not.toThrow();
  });

  test.each<[string, Record<string, string>]>([
    ["everywhere", { HOST: "0.0.0.0" }],
    ["everywhere, IPv6", { HOST: "::" }],
    ["under a name", { HOST: "checks.example.org" }],
    ["acknowledged without an address", { HOST: "0.0.0.0", ...anyone }],
    ["with an address, not acknowledged", { HOST: "0.0.0.0", PUBLIC_URL: url }],
    [
      "with a local address that is not where it listens",
      { HOST: "10.0.0.1", PUBLIC_URL: "http://localhost" },
    ],
    ["behind a proxy, not acknowledged", { PUBLIC_URL: url }],
  ])("does not start %s", (_, env) => {
    const config = readConfig({}, { ...open, ...env });
    expect(() => refuseOpenWriting(config)).toThrow(
      /^--checker-write at \S+ lets everybody .* CHECKER_WRITE_ANYONE=true and PUBLIC_URL\.$/,
    );
  });
});

test.each<[Record<string, string>, boolean]>([
  [{}, false],
  [{ HOST: "0.0.0.0" }, true],
  [{ HOST: "0.0.0.0", PUBLIC_URL: url }, false],
  [{ HOST: "0.0.0.0", PUBLIC_URL: "http://checks.example.org" }, true],
  [{ PUBLIC_URL: "http://checks.example.org" }, true],
  [{ PUBLIC_URL: "http://localhost:3100" }, false],
])("%j travels readable: %s", (env, expected) => {
  expect(travelsReadable(readConfig({}, env))).toBe(expected);
});
