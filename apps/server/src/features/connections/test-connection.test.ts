import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import {
  areInstalled,
  everything,
  freePort,
  kubeconfigOf,
  type Listening,
  listenHttp,
  listenForPostgres,
  listenTcp,
  startKubernetes,
  startRedis,
  startSlapd,
} from "@mainstay/testkit/servers/index.ts";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson } from "../../testing/people.ts";
import { connectionTests } from "./test-connection.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

let made = 0;
async function tryRow(row: Record<string, unknown>) {
  const name = `t-${(made += 1)}`;
  const { json, status, text } = await app.admin.post(
    "/api/db/connections",
    { name, ...row },
    { prefer: "return=representation" },
  );
  if (status !== 201) throw new Error(text);
  const reply = await app.admin.post(`/api/connection/test/${json[0].id}`);
  expect(reply.text).not.toContain("wrong-one");
  return [reply.status, reply.json.message ?? reply.json.error, reply.json.error] as [
    number,
    string,
    string | undefined,
  ];
}
const ok = [200, "ok", undefined];
const refused = (message: RegExp) => [400, expect.stringMatching(message), expect.any(String)];

/** Services that take messages and nothing else, and an account without an address. */
const untriable: Readonly<Record<string, object>> = {
  generic_webhook: { username: "https://hooks.example.com/x" },
  google_chat: { username: "key", password: "token" },
  ifttt: { username: "key" },
  mattermost: { username: "ann", password: "token" },
  rocketchat: { username: "a", password: "token" },
  teams: { url: "teams://x" },
  windows: { username: "ann", password: "a-secret" },
};

test("what is not there, not tested, and not allowed", async () => {
  const post = (id: string) => app.admin.post(`/api/connection/test/${id}`);
  for (const id of ["00000000-0000-0000-0000-000000000001", "nothing"]) {
    const { status, json } = await post(id);
    expect([status, json.error]).toEqual([404, "connection was not found"]);
  }
  for (const [type, row] of Object.entries(untriable))
    expect([type, await tryRow({ type, ...row })]).toEqual([
      type,
      [501, "not implemented", "not implemented"],
    ]);
  const editor = await createPerson(app, "editor");
  expect((await editor.post("/api/connection/test/nothing")).status).toBe(403);
});

describe("over HTTP", () => {
  let server: Listening;
  beforeAll(async () => {
    server = await listenHttp((request, response) => {
      const isKnown = request.headers.authorization === `Basic ${btoa("ann:right-one")}`;
      const paths =
        /^\/(ok|p\/api\/v1\/status\/config|e\/_cluster\/health|l\/loki\/api\/v1\/status\/buildinfo)$/;
      const code = !isKnown ? 401 : paths.test(request.url ?? "") ? 200 : 404;
      // Some repeat what they were sent.
      response
        .writeHead(code)
        .end(JSON.stringify({ message: `no ${request.headers.authorization}` }));
    });
  });
  afterAll(() => server.close());
  const at = (path: string, password: string) => ({
    url: `http://127.0.0.1:${server.port}/${path}`,
    username: "ann",
    password,
  });

  test.each([
    ["http", "ok"],
    ["prometheus", "p"],
    ["loki", "l"],
    ["elasticsearch", "e"],
    ["opensearch", "e/"],
  ])("%s", async (type, path) => {
    expect(await tryRow({ type, ...at(path, "right-one") })).toEqual(ok);
    const wrong = await tryRow({ type, ...at(path, "wrong-one") });
    expect(wrong).toEqual(refused(/answered 401/));
    expect(wrong[1]).not.toContain(btoa("ann:wrong-one"));
  });

  test("nobody there, an own address, and no address", async () => {
    const port = await freePort();
    expect(await tryRow({ type: "http", url: `http://127.0.0.1:${port}` })).toEqual(
      refused(/refused by/),
    );
    expect(await tryRow({ type: "http", url: "http://169.254.169.254/" })).toEqual(
      refused(/not allowed by this server's address policy/),
    );
  });
});

describe("a peer that takes the connection and says nothing", () => {
  let peer: Listening;
  const open = new Set<Socket>();
  const limits = () => app.app.ctx.service(connectionTests);
  beforeAll(async () => {
    peer = await listenTcp((socket) => {
      open.add(socket.on("error", () => {}).resume());
      socket.once("close", () => open.delete(socket));
    });
    limits().timeoutMs = 150;
  });
  afterAll(async () => {
    limits().timeoutMs = 20_000;
    await peer.close();
  });

  const at = (scheme: string) => ({ url: `${scheme}://127.0.0.1:${peer.port}/x` });
  const login = { username: "ann", password: "a-secret" };
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const googleKey = (token_uri: string) =>
    JSON.stringify({
      client_email: "reader@shop.iam.gserviceaccount.com",
      private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
      token_uri,
    });
  test.each<[string, () => object]>([
    ["http", () => at("http")],
    ["prometheus", () => at("http")],
    ["loki", () => at("http")],
    ["elasticsearch", () => at("http")],
    ["opensearch", () => at("http")],
    ["github", () => ({ ...at("http"), password: "a-secret" })],
    ["gitlab", () => ({ ...at("http"), password: "a-secret" })],
    ["azure_devops", () => ({ ...at("http"), ...login })],
    ["dynatrace", () => ({ ...at("http"), password: "a-secret" })],
    ["aws", () => ({ ...at("http"), ...login })],
    ["s3", () => ({ ...at("http"), ...login, properties: { bucket: "b" } })],
    ["azure", () => ({ ...at("http"), ...login, properties: { tenant: "t" } })],
    ["gcs", () => ({ certificate: googleKey(at("http").url), properties: { bucket: "b" } })],
    ["google_cloud", () => ({ certificate: googleKey(at("http").url) })],
    ["kubernetes", () => ({ certificate: kubeconfigOf(at("http"), { token: "a-secret" }) })],
    ["git over HTTP", () => at("http")],
    ["git over ssh", () => at("ssh")],
    ["git over a socket", () => at("git")],
    ["postgres", () => ({ ...at("postgres"), ...login })],
    ["mysql", () => ({ url: `ann:a-secret@tcp(127.0.0.1:${peer.port})/x` })],
    ["sql_server", () => at("sqlserver")],
    ["mongo", () => at("mongodb")],
    ["redis", () => ({ url: `127.0.0.1:${peer.port}`, password: "a-secret" })],
    ["ldap", () => ({ ...at("ldap"), ...login })],
    ["sftp", () => ({ ...login, properties: { host: "127.0.0.1", port: String(peer.port) } })],
    [
      "smb",
      () => ({
        ...login,
        url: "127.0.0.1",
        properties: { port: String(peer.port), share: "backups" },
      }),
    ],
    [
      "email",
      () => ({
        ...login,
        url: `smtp://$(username):$(password)@127.0.0.1:${peer.port}/`,
        properties: { host: "127.0.0.1", port: String(peer.port), encryptionMethod: "None" },
      }),
    ],
  ])("%s is given up after the limit, with a sentence, and let go", async (name, row) => {
    const [type] = name.split(" ");
    expect(await tryRow({ type, ...row() })).toEqual(
      refused(/^There was no answer within 0\.15 seconds\.$/),
    );
    expect(limits().underWay).toBe(0);
    await vi.waitFor(() => expect(open.size).toBe(0));
  });
});

test("a value that stands nowhere is named", async () => {
  expect(await tryRow({ type: "http", url: "http://x", password: "secret://gone/key" })).toEqual(
    refused(/gone/),
  );
});

test("postgres: a real one", async () => {
  const cluster = inject("cluster");
  const relay = await listenForPostgres(cluster);
  const url = `postgres://$(username):$(password)@127.0.0.1:${relay.port}/postgres`;
  expect(
    await tryRow({ type: "postgres", url, username: cluster.user, password: "right-one" }),
  ).toEqual(ok);
  // Who needs none is let in whatever is said; these do.
  const { application } = cluster.accounts;
  const row = { type: "postgres", url, username: application.user };
  expect(await tryRow({ ...row, password: application.password })).toEqual(ok);
  expect(await tryRow({ ...row, password: "wrong-one" })).toEqual(
    refused(/password authentication failed/),
  );
  await relay.close();
});

test.skipIf(!areInstalled("redis-server"))("redis: a real one", async () => {
  const server = (await startRedis({ password: "right-one" }))!;
  const row = { type: "redis", url: `127.0.0.1:${server.port}`, properties: { db: "0" } };
  expect(await tryRow({ ...row, password: "right-one" })).toEqual(ok);
  expect(await tryRow({ ...row, password: "wrong-one" })).toEqual(refused(/password|WRONGPASS/i));
  await server.stop();
});

test.skipIf(!areInstalled("slapd", "slapadd"))("ldap: OpenLDAP", async () => {
  const server = (await startSlapd())!;
  const row = { type: "ldap", url: `ldap://127.0.0.1:${server.port}`, username: server.bindName };
  expect(await tryRow({ ...row, password: server.password })).toEqual(ok);
  expect(await tryRow({ ...row, password: "wrong-one" })).toEqual(
    refused(/wrong name or password/),
  );
  await server.stop();
});

test("kubernetes: lists pods of a stand-in", async () => {
  const server = await startKubernetes({
    accounts: {
      "good-token": { user: "reader", rules: [everything] },
      "poor-token": { user: "guest", rules: [] },
    },
  });
  const row = (token: string) => ({
    type: "kubernetes",
    certificate: kubeconfigOf(server, { token }),
  });
  expect(await tryRow(row("good-token"))).toEqual(ok);
  expect(await tryRow(row("poor-token"))).toEqual(refused(/forbidden|may not|not allowed/i));
  expect(await tryRow({ type: "kubernetes", certificate: "wrong-one" })).toEqual(
    refused(/kubeconfig/),
  );
  await server.close();
});

test("email: logs in and sends nothing", async () => {
  const sent: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === "ann" && password === "right-one"
        ? done(null, { user: "ann" })
        : done(new Error("Authentication failed")),
    onMailFrom: ({ address }, _session, done) => {
      sent.push(address);
      done();
    },
  });
  const port = await freePort();
  await new Promise<void>((ready) => server.listen(port, "127.0.0.1", ready));
  const row = (password: string) => ({
    type: "email",
    username: "ann",
    password,
    url: `smtp://$(username):$(password)@127.0.0.1:${port}/`,
    properties: {
      host: "127.0.0.1",
      port: String(port),
      encryptionMethod: "None",
      authMethod: "Plain",
    },
  });
  expect(await tryRow(row("right-one"))).toEqual(ok);
  expect(await tryRow(row("wrong-one"))).toEqual(refused(/refused the login/));
  expect(sent).toEqual([]);
  await new Promise<void>((closed) => server.close(closed));
});

test("folder: one of the server's machine", async () => {
  const path = mkdtempSync("/tmp/mainstay-folder-");
  expect(await tryRow({ type: "folder", properties: { path } })).toEqual(ok);
  expect(await tryRow({ type: "folder", properties: { path: `${path}/gone` } })).toEqual(
    refused(/There is no/),
  );
  expect(await tryRow({ type: "folder", properties: { path: "relative" } })).toEqual(
    refused(/slash/),
  );
  rmSync(path, { recursive: true });
});
