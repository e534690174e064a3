import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  ask,
  findServer,
  loginFile,
  origin,
  rememberLogin,
  type ServerFlags,
} from "./server-access.ts";
import { makeHome } from "./testing/mainstay.ts";

let home: ReturnType<typeof makeHome>;
beforeEach(() => {
  home = makeHome();
  for (const name of ["XDG_CONFIG_HOME", "MAINSTAY_DATA_DIR"]) vi.stubEnv(name, home.env[name]);
  for (const name of ["MAINSTAY_SERVER", "MAINSTAY_TOKEN", "PORT"]) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  home.remove();
});

const remembered = { server: "https://company.example.org", token: "remembered" };
const local = { server: "http://127.0.0.1:3100", token: "local" };
const other = { server: "http://127.0.0.1:3200", token: "other" };

function writeServer(directory: string, text: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "server.json"), text);
}

describe("which server, and as whom", () => {
  type Case = [what: string, flags: ServerFlags, env: Record<string, string>, expected: object];
  const cases: Case[] = [
    ["nothing said: who signed in", {}, {}, remembered],
    [
      "flags before the environment",
      { server: "http://a:1/path", token: "flag" },
      { MAINSTAY_SERVER: "http://b:2", MAINSTAY_TOKEN: "env" },
      { server: "http://a:1", token: "flag" },
    ],
    [
      "the environment before what is remembered",
      {},
      { MAINSTAY_SERVER: "http://b:2", MAINSTAY_TOKEN: "env" },
      { server: "http://b:2", token: "env" },
    ],
    ["the server that was signed in to", { server: `${remembered.server}/` }, {}, remembered],
    ["the server of this machine, by its address", { server: local.server }, {}, local],
    [
      "another session for the same server",
      { token: "flag" },
      {},
      { ...remembered, token: "flag" },
    ],
    ["a data directory means the server there", { dataDir: "OTHER" }, {}, other],
  ];
  test.each(cases)("%s", (_what, flags, env, expected) => {
    rememberLogin(remembered);
    writeServer(join(home.directory, "data"), JSON.stringify(local));
    writeServer(join(home.directory, "other"), JSON.stringify(other));
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const dataDir = flags.dataDir && join(home.directory, "other");
    expect(findServer({ ...flags, dataDir })).toEqual(expected);
  });

  test("the server of this machine when nobody signed in", () => {
    writeServer(join(home.directory, "data"), JSON.stringify(local));
    expect(findServer({})).toEqual(local);
  });

  test.each(["", "{", "[]", "{}", '{"server": "http://a"}'])(
    "a file with %j in it is as good as none",
    (text) => {
      mkdirSync(dirname(loginFile()), { recursive: true });
      writeFileSync(loginFile(), text);
      writeServer(join(home.directory, "data"), text);
      expect(() => findServer({})).toThrow("No running server was found");
    },
  );

  test("an address that is none is named", () => {
    expect(() => origin("localhost")).toThrow('(it is "localhost")');
  });
});

describe("an answer", () => {
  const serve = async (status: number, body: string, cut = false) => {
    const server = createServer((_request, reply) => {
      reply.statusCode = status;
      if (!cut) return reply.end(body);
      reply.setHeader("content-length", body.length + 10);
      reply.write(body);
      return reply.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const access = { server: `http://127.0.0.1:${port}` };
    try {
      return await ask<unknown>(access, "GET", "/");
    } finally {
      server.close();
    }
  };

  test.each([
    ["refused", 403, '{"error":"You may not."}', "You may not."],
    ["of the data API", 400, '{"message":"No such column."}', "No such column."],
    ["without words", 502, "", "the server answered 502"],
    ["of another program", 200, "<html>", "is not a Mainstay server."],
    ["to a session that has ended", 401, "Not logged in", "Sign in again: mainstay login"],
  ])("%s", async (_what, status, body, message) => {
    await expect(serve(status, body)).rejects.toThrow(message);
  });

  test("that is cut off is one line as well", async () => {
    await expect(serve(200, "[1,", true)).rejects.toThrow(/^http:\S+ cannot be reached: /);
  });

  test("that is good", async () => {
    expect(await serve(200, '{"a":1}')).toEqual({ a: 1 });
    expect(await serve(204, "")).toBeUndefined();
  });
});
