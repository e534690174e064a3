import { readFileSync } from "node:fs";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { client, startTestApp, type TestApp } from "../../testing/app.ts";
import { cleanUpTokens } from "./clean-up.ts";
import { basic, bearer, signInAs } from "./testing/people.ts";

/** The first administrator, as programs come that know nothing better, and browsers that remember it. */
const remembered = basic("admin@local", "correct-horse-battery");
const DAY_MS = 24 * 60 * 60 * 1000;

let server: TestApp;
beforeAll(async () => {
  const started = await startTestApp({ publicUrl: "https://ops.example.org" });
  // Nothing answers at that name here.
  const address = started.app.localAddress;
  server = { ...started, address, nobody: client(address) };
});
afterAll(() => server.stop());

test("is a file with a new token, which expires", async () => {
  const ada = await signInAs(server, "editor");
  const reply = await ada.post("/api/kubeconfig");
  expect(reply.status).toBe(200);
  expect(reply.headers.get("content-type")).toBe("text/yaml; charset=utf-8");
  expect(reply.headers.get("content-disposition")).toBe(
    'attachment; filename="ops.example.org-kubeconfig.yaml"',
  );
  expect(reply.headers.get("cache-control")).toBe("no-store");
  const file = parse(reply.text);
  const { password } = file.users[0].user;
  expect(file).toEqual({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "mainstay-ops.example.org",
        cluster: { server: "https://ops.example.org/api/kubeproxy" },
      },
    ],
    users: [{ name: "token", user: { username: "token", password } }],
    contexts: [
      { name: "default", context: { cluster: "mainstay-ops.example.org", user: "token" } },
    ],
    "current-context": "default",
  });
  const whoami = await server.nobody.get("/api/auth/whoami", basic("token", password));
  expect(whoami.json.payload).toMatchObject({ user: { id: ada.id }, roles: ["editor"] });
  const { tokens } = (await ada.get("/api/auth/tokens")).json;
  expect(tokens).toMatchObject([
    { kind: "kubeconfig", name: expect.stringMatching(/^kubeconfig-\d+$/) },
  ]);
  const [{ created_at: from, expires_at: until }] = tokens;
  expect((Date.parse(until) - Date.parse(from)) / DAY_MS).toBeCloseTo(90, 2);
  expect(reply.text).toContain(`works until ${until}`);
});

test("somebody may say when its token expires, or that it never does", async () => {
  const ada = await signInAs(server, "viewer");
  const until = new Date(Date.now() + 3 * DAY_MS).toISOString();
  const bodies = [{ expires_at: until }, { expires_at: null }, {}];
  const replies = await Promise.all(bodies.map((body) => ada.post("/api/kubeconfig", body)));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(replies[1]!.text).toContain("does not expire");
  const { tokens } = (await ada.get("/api/auth/tokens")).json as {
    tokens: { expires_at: string | null }[];
  };
  const ends = tokens.map(({ expires_at: at }) => at);
  expect(ends).toContain(until);
  expect(ends.filter((at) => at === null)).toHaveLength(1);
  const past = await ada.post("/api/kubeconfig", { expires_at: "2020-01-01T00:00:00Z" });
  expect([past.status, (await ada.post("/api/kubeconfig", { expires_at: "soon" })).status]).toEqual(
    [400, 400],
  );
});

test("two in one second are two tokens", async () => {
  const ada = await signInAs(server, "viewer");
  const replies = await Promise.all([ada.get("/api/kubeconfig"), ada.get("/api/kubeconfig")]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  const { tokens } = (await ada.get("/api/auth/tokens")).json;
  expect(new Set(tokens.map(({ name }: { name: string }) => name)).size).toBe(2);
});

describe("a link sets nothing off", () => {
  const strange = "https://evil.example/page";
  test.each<[string, Record<string, string>]>([
    ["on another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }],
    ["on a sibling site", { "sec-fetch-site": "same-site" }],
    ["in a mail or a bookmark", { "sec-fetch-site": "none" }],
    ["on a plain-http page that says nothing", {}],
    ["on a plain-http page of another site", { referer: strange }],
    ["in a form of another site", { origin: "https://evil.example" }],
    ["in a frame without an origin", { origin: "null", referer: strange }],
    ["with an unreadable referrer", { referer: "ops.example.org" }],
    [
      "on a site that is called almost the same",
      { referer: "https://ops.example.org.evil.example/" },
    ],
    [
      "whatever the referrer says",
      { "sec-fetch-site": "cross-site", referer: "https://ops.example.org/" },
    ],
  ])("%s", async (_where, headers) => {
    const ada = await signInAs(server, "viewer");
    const before = await server.db.rows(sql`select from access_tokens where kind = 'kubeconfig'`);
    const ways = [{ cookie: `ory_kratos_session=${ada.token}` }, remembered];
    for (const way of ways)
      for (const method of ["GET", "HEAD"]) {
        const reply = await server.nobody.request(method, "/api/kubeconfig", undefined, {
          ...way,
          ...headers,
        });
        expect([method, reply.status]).toEqual([method, method === "GET" ? 403 : 200]);
      }
    const sent = { cookie: `ory_kratos_session=${ada.token}`, ...headers };
    if (headers.origin ?? headers.referer ?? headers["sec-fetch-site"]?.endsWith("-site"))
      expect((await server.nobody.post("/api/kubeconfig", undefined, sent)).status).toBe(403);
    expect(await server.db.rows(sql`select from access_tokens where kind = 'kubeconfig'`)).toEqual(
      before,
    );
  });

  test("but one of the console does, and so does a program", async () => {
    const ada = await signInAs(server, "viewer");
    const cookie = `ory_kratos_session=${ada.token}`;
    const page = "https://ops.example.org/health";
    const asked: Record<string, string>[] = [
      { cookie, "sec-fetch-site": "same-origin" },
      { cookie, referer: page },
      { cookie, origin: "https://ops.example.org" },
      { "x-session-token": ada.token },
      bearer(ada.token),
      { ...remembered, referer: page },
    ];
    for (const headers of asked)
      expect((await server.nobody.get("/api/kubeconfig", headers)).status).toBe(200);
    const posted: Record<string, string>[] = [{ cookie }, remembered];
    for (const headers of posted)
      expect((await server.nobody.post("/api/kubeconfig", undefined, headers)).status).toBe(200);
  });
});

test("tokens that were in kubeconfigs of before, and had no end, have one", async () => {
  // The migration's own statement.
  const text = readFileSync(
    new URL("../../../db/migrations/0015_addresses_and_token_expiry.sql", import.meta.url),
    "utf8",
  );
  const [statement] = /update access_tokens[^;]+;/.exec(text)!;
  const ada = await signInAs(server, "viewer");
  await ada.post("/api/kubeconfig", { expires_at: null });
  await ada.makeToken({ name: "mine", expires_at: null });
  await server.db.raw(statement);
  const { tokens } = (await ada.get("/api/auth/tokens")).json as {
    tokens: { kind: string; expires_at: string | null }[];
  };
  expect(Object.fromEntries(tokens.map(({ kind, expires_at: at }) => [kind, at !== null]))).toEqual(
    {
      kubeconfig: true,
      personal: false,
    },
  );
});

test("what expired a month ago is deleted, with the service that had no other", async () => {
  const ada = await signInAs(server, "admin");
  for (const [name, days] of [
    ["long", -31],
    ["lately", -29],
    ["soon", 1],
  ] as const)
    await server.db.run(sql`
      insert into access_tokens (name, person_id, value, expires_at)
      values (${name}, ${ada.id}, ${name}, now() + ${days} * interval '1 day')`);
  await ada.post("/api/auth/tokens", { name: "forever", expires_at: null });
  const service = { name: "old service", kind: "service", roles: ["viewer"] };
  const made = (await ada.post("/api/auth/tokens", service)).json;
  await server.db.run(
    sql`update access_tokens set expires_at = now() - interval '31 days' where id = ${made.id}`,
  );
  expect(await cleanUpTokens.run(server.app.ctx)).toMatchObject({ details: { tokens: 2 } });
  const { tokens } = (await ada.get("/api/auth/tokens")).json;
  expect(tokens.map(({ name }: { name: string }) => name).toSorted()).toEqual([
    "forever",
    "lately",
    "soon",
  ]);
  expect(
    await server.db.rows(
      sql`select deleted_at is null as is_there from people where id = ${made.person.id}`,
    ),
  ).toEqual([{ is_there: false }]);
});

test("without a cluster behind the server its address says so", async () => {
  const ada = await signInAs(server, "viewer");
  const token = await ada.makeToken({ name: "x" });
  const reply = await server.nobody.get("/api/kubeproxy/api/v1/pods", bearer(token));
  expect([reply.status, reply.json.error]).toEqual([
    501,
    "This server has no Kubernetes cluster that it hands requests on to.",
  ]);
  expect((await server.nobody.get("/api/kubeproxy/api/v1/pods")).status).toBe(401);
});
