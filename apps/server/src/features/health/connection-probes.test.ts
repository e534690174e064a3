import {
  areInstalled,
  listenTcp,
  startMariadb,
  startSamba,
  startSshd,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { serveMongo } from "./check-types/mongodb/testing/stand-in.ts";
import { serveTds } from "#platform/outbound/sql/testing/tds-server.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

let made = 0;
/** Status and text of a try of a connection, through the address that consoles use. */
async function tried(row: Record<string, unknown>): Promise<[number, string]> {
  const name = `p-${(made += 1)}`;
  const { json, text } = await app.admin.post(
    "/api/db/connections",
    { name, ...row },
    { prefer: "return=representation" },
  );
  expect(json?.[0]?.id, text).toBeTypeOf("string");
  const reply = await app.admin.post(`/api/connection/test/${json[0].id}`);
  expect(reply.text).not.toContain("wrong-one");
  return [reply.status, reply.json.message];
}
const ok = [200, "ok"];
const refused = (why: RegExp) => [400, expect.stringMatching(why)];

test.skipIf(!areInstalled("mariadbd", "mariadb-install-db"))("mysql: a real MariaDB", async () => {
  const server = (await startMariadb())!;
  const row = {
    type: "mysql",
    url: `mysql://127.0.0.1:${server.port}/${server.database}`,
    username: server.user,
  };
  expect(await tried({ ...row, password: server.password })).toEqual(ok);
  expect(await tried({ ...row, password: "wrong-one" })).toEqual(refused(/Access denied/));
  await server.stop();
});

test("sql_server: a stand-in at the level of TDS", async () => {
  const login = { user: "monitor", password: "right-one", databases: ["shop"] };
  const server = await listenTcp((socket) => serveTds(socket, { login }));
  const row = {
    type: "sql_server",
    url: `sqlserver://127.0.0.1:${server.port}?database=shop`,
    username: "monitor",
  };
  expect(await tried({ ...row, password: "right-one" })).toEqual(ok);
  expect(await tried({ ...row, password: "wrong-one" })).toEqual(refused(/Login failed/));
  await server.close();
});

test("mongo: a stand-in at the level of the wire protocol", async () => {
  const user = { name: "monitor", password: "right-one" };
  const server = await listenTcp((socket) => serveMongo(socket, { user }));
  const row = { type: "mongo", url: `mongodb://127.0.0.1:${server.port}`, username: "monitor" };
  expect(await tried({ ...row, password: "right-one" })).toEqual(ok);
  expect(await tried({ ...row, password: "wrong-one" })).toEqual(refused(/Authentication failed/));
  await server.close();
});

test.skipIf(!areInstalled("sshd", "ssh-keygen"))(
  "sftp: a real OpenSSH, which knows no password",
  async () => {
    const server = (await startSshd())!;
    const row = { type: "sftp", url: "127.0.0.1", properties: { port: String(server.port) } };
    expect(await tried({ ...row, username: server.username, password: "wrong-one" })).toEqual(
      refused(/authentication|sign in|password/i),
    );
    await server.stop();
  },
);

test.skipIf(!areInstalled("smbd", "smbpasswd") || process.getuid?.() !== 0)(
  "smb: a real Samba",
  async () => {
    const server = (await startSamba({ shares: { files: [] } }))!;
    const properties = { port: String(server.port), share: "files" };
    const row = { type: "smb", url: "127.0.0.1", username: server.username, properties };
    expect(await tried({ ...row, password: server.password })).toEqual(ok);
    expect(await tried({ ...row, password: "wrong-one" })).toEqual(
      refused(/did not let .* sign in/),
    );
    const other = { ...row, password: server.password, properties: { ...properties, share: "no" } };
    expect(await tried(other)).toEqual(refused(/has no share "no"/));
    await server.stop();
  },
);
