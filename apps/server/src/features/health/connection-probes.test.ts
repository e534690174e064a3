import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import ssh2 from "ssh2";
import {
  areInstalled,
  listenHttp,
  listenTcp,
  removeFolder,
  startMariadb,
  startPrometheus,
  startSamba,
  startSshd,
  temporaryFolder,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson } from "../../testing/people.ts";
import { gitBackend } from "./check-types/git-protocol/testing/git-backend.ts";
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

test("sftp: a stand-in that takes a password, as OpenSSH does of users of the machine alone", async () => {
  const { private: hostKey } = ssh2.utils.generateKeyPairSync("ed25519");
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    client.on("error", () => undefined);
    client.on("authentication", (asked) =>
      asked.method === "password" && asked.username === "ann" && asked.password === "right-one"
        ? asked.accept()
        : asked.reject(["password"]),
    );
    client.on("session", (takeSession) => {
      takeSession().on("sftp", (takeSftp) => {
        const files = takeSftp();
        files.on("OPENDIR", (id) => files.handle(id, Buffer.from("a folder")));
        files.on("READDIR", (id) => files.status(id, 1));
        files.on("CLOSE", (id) => files.status(id, 0));
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const row = { type: "sftp", url: "127.0.0.1", username: "ann", properties: { port: `${port}` } };
  expect(await tried({ ...row, password: "right-one" })).toEqual(ok);
  expect(await tried({ ...row, password: "wrong-one" })).toEqual(
    refused(/did not let \S+ sign in/),
  );
  await new Promise((closed) => server.close(closed));
});

describe.skipIf(!areInstalled("git"))("git: a real repository", () => {
  const folder = temporaryFolder("git-connection");
  const environment = { PATH: process.env.PATH ?? "", HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  beforeAll(() => {
    const args = ["init", "-q", "--bare", join(folder, "shop.git")];
    execFileSync("git", args, { env: environment });
  });
  afterAll(() => removeFolder(folder));
  const properties = { ref: "main" };

  test("over HTTP, with a password and with a token alone", async () => {
    const login = { username: "ann", password: "right-one" };
    const server = await listenHttp(gitBackend({ folder, login, environment }));
    const url = `http://127.0.0.1:${server.port}/shop.git`;
    const row = { type: "git", url, properties };
    expect(await tried({ ...row, ...login })).toEqual(ok);
    expect(await tried({ ...row, username: "ann", password: "wrong-one" })).toEqual(
      refused(/does not let in who asks \(401\)/),
    );
    await server.close();
    const token = { username: "git", password: "right-one" };
    const other = await listenHttp(gitBackend({ folder, login: token, environment }));
    const at = `http://127.0.0.1:${other.port}`;
    expect(await tried({ ...row, url: `${at}/shop.git`, password: "right-one" })).toEqual(ok);
    await other.close();
    // A website is none, whatever it answers.
    const site = await listenHttp((_request, response) => response.end("welcome"));
    expect(await tried({ ...row, url: `http://127.0.0.1:${site.port}/shop.git` })).toEqual(
      refused(/is no repository of Git/),
    );
    await site.close();
  });

  test.skipIf(!areInstalled("sshd", "ssh-keygen"))("over ssh, with a key", async () => {
    const server = (await startSshd())!;
    const url = `ssh://${server.username}@127.0.0.1:${server.port}${folder}/shop.git`;
    const row = { type: "git", url, properties };
    expect(await tried({ ...row, certificate: server.key })).toEqual(ok);
    const { private: another } = ssh2.utils.generateKeyPairSync("ed25519");
    expect(await tried({ ...row, certificate: another })).toEqual(
      refused(/did not let \S+ sign in/),
    );
    expect(
      await tried({ ...row, url: url.replace("shop", "gone"), certificate: server.key }),
    ).toEqual(refused(/the repository refused/));
    await server.stop();
  });

  test("what is no address of one", async () => {
    const url = join(folder, "shop.git");
    expect(await tried({ type: "git", url, properties })).toEqual(refused(/is no address/));
  });
});

test.skipIf(!areInstalled("restic"))("restic: a real repository, by its program", async () => {
  const folder = temporaryFolder("restic-connection");
  chmodSync(folder, 0o755);
  const url = join(folder, "backups");
  const { status, stderr } = spawnSync("restic", ["--no-cache", "-r", url, "init"], {
    env: { ...process.env, RESTIC_PASSWORD: "right-one" },
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
  // For the user that programs of documents run as.
  execFileSync("chmod", ["-R", "a+rX", url]);
  const row = { type: "restic", url };
  expect(await tried({ ...row, password: "right-one" })).toEqual(ok);
  expect(await tried({ ...row, password: "wrong-one" })).toEqual(
    refused(/the password does not open the repository/),
  );
  const editor = await createPerson(app, "editor");
  const { json } = await app.admin.get("/api/db/connections?type=eq.restic&limit=1&select=id");
  expect((await editor.post(`/api/connection/test/${json[0].id}`)).status).toBe(403);
  removeFolder(folder);
});

test.skipIf(!areInstalled("prometheus"))("prometheus: a real one", async () => {
  const hash = "$2b$05$abcdefghijklmnopqrstuu2DrNMb8fKhYfoIOkp87AGvfRzelaVl2";
  const login = { username: "ann", password: "sesame secret" };
  const server = (await startPrometheus({ login: { ...login, hash } }))!;
  const row = { type: "prometheus", url: `http://127.0.0.1:${server.port}`, username: "ann" };
  expect(await tried({ ...row, password: login.password })).toEqual(ok);
  expect(await tried({ ...row, password: "wrong-one" })).toEqual(refused(/answered 401/));
  await server.stop();
});

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
