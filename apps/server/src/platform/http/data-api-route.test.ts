import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createApp, SCHEMA_CHANGED } from "../../app.ts";
import { features } from "../../features.ts";
import { prepareDataRoles } from "../db/data-role.ts";
import { createLog } from "../log.ts";
import {
  type Client,
  client,
  startTestApp,
  testConfig,
  testDatabase,
  type TestApp,
} from "../../testing/app.ts";
import { createPerson } from "../../testing/people.ts";
import { sendRaw } from "./testing/http-server.ts";

let app: TestApp;
let admin: Client;

beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  ({ admin } = app);
});
afterAll(() => app.stop());

describe("nobody", () => {
  test.each([
    ["GET", "/api/db/canaries"],
    ["HEAD", "/api/db/canaries"],
    ["POST", "/api/db/canaries"],
    ["PATCH", "/api/db/canaries?name=eq.a"],
    ["DELETE", "/api/db/canaries?name=eq.a"],
    ["GET", "/api/db/no_such_table"],
  ])("%s %s is 401, in plain words", async (method, path) => {
    const body = method === "POST" || method === "PATCH" ? { name: "a" } : undefined;
    const reply = await app.nobody.request(method, path, body);
    expect(reply.status).toBe(401);
    expect(reply.headers.get("content-type")).toMatch(/^text\/plain/);
    if (method !== "HEAD") expect(reply.text).toBe("Not logged in");
  });

  test("is answered before the body has arrived", async () => {
    const { port } = new URL(app.address);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sending = request({ port, method: "POST", path: "/api/db/canaries" });
      sending.setHeader("content-length", 10_000_000);
      sending.once("response", (reply) => {
        resolve(reply.statusCode);
        sending.destroy();
      });
      sending.once("error", reject);
      sending.write("[");
    });
    expect(status).toBe(401);
  });
});

describe("somebody", () => {
  test("reads rows with their range; HEAD says the same without them", async () => {
    const get = await admin.get("/api/db/people?select=name&order=name.asc", {
      prefer: "count=exact",
    });
    expect(get.status).toBe(200);
    expect(get.json).toEqual([{ name: "Admin" }, { name: "System" }]);
    expect(get.headers.get("content-range")).toBe("0-1/2");
    const head = await admin.request(
      "HEAD",
      "/api/db/people?select=name&order=name.asc",
      undefined,
      {
        prefer: "count=exact",
      },
    );
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers.get("content-range")).toBe("0-1/2");
  });

  test("is told what there is to use, and only that", async () => {
    const reply = await admin.get("/api/db/");
    expect([reply.status, reply.headers.get("content-type")]).toEqual([
      200,
      "application/openapi+json; charset=utf-8",
    ]);
    const document = reply.json as {
      basePath: string;
      paths: Record<string, object>;
      definitions: Record<string, { properties: Record<string, object> }>;
    };
    expect(document.basePath).toBe("/api/db");
    expect(Object.keys(document.paths["/canaries"] ?? {})).toEqual([
      "get",
      "post",
      "delete",
      "patch",
    ]);
    expect(Object.keys(document.paths["/checks"] ?? {})).toEqual(["get"]);
    expect(document.definitions["people"]?.properties).not.toHaveProperty("external_id");
    expect(JSON.stringify(document)).not.toMatch(/identity_sessions|identity_credentials/);
    const again = await admin.get("/api/db/", { "if-none-match": reply.headers.get("etag") ?? "" });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect((await app.nobody.get("/api/db/")).status).toBe(401);
  });

  test("has so many requests at once, and others are not kept waiting", async () => {
    // The rows are locked against reading until the test lets go.
    const lock = await app.db.connect();
    await lock.query("begin; lock table properties in access exclusive mode");
    const many = Array.from({ length: 90 }, () => admin.get("/api/db/properties"));
    const first = await Promise.race(many);
    expect([first.status, first.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(first.json).toMatchObject({
      code: "53400",
      message: expect.stringMatching(/too many/i),
    });
    expect((await app.nobody.get("/api/_health")).status).toBe(200);
    await lock.query("rollback");
    await lock.end();
    const statuses = (await Promise.all(many)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(66);
    expect(statuses.filter((status) => status === 429)).toHaveLength(24);
  });

  test("goes on reading and writing while two others do their worst, with every token they have", async () => {
    const [first, second, third] = [
      await createPerson(app, "viewer"),
      await createPerson(app, "viewer"),
      await createPerson(app, "admin"),
    ];
    const tokens = await Promise.all(
      ["one", "two"].map((name) => first.post("/api/auth/tokens", { name })),
    );
    expect(tokens.map(({ status }) => status)).toEqual([201, 201]);
    const programs = tokens.map(({ json }) =>
      client(app.address, { authorization: `Bearer ${json.access_token}` }),
    );
    const lock = await app.db.connect();
    await lock.query("begin; lock table properties in access exclusive mode");
    let isBlocked = true;
    const worst = [first, second, ...programs].flatMap((one) =>
      Array.from({ length: 8 }, () => [
        one.get("/api/db/properties"),
        one.get("/api/db/properties?name=ilike.*a*b*c*", { prefer: "count=exact" }),
      ]).flat(),
    );
    // All of theirs have come as far as they will.
    await vi.waitFor(async () => {
      const { rows } = await app.db.raw(
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
      expect(rows).toHaveLength(4);
    }, 10_000);
    void Promise.allSettled(worst).then(() => (isBlocked = false));
    for (let turn = 0; turn < 10; turn += 1) {
      const read = await third.get("/api/db/people?select=name&name=ilike.*admin*", {
        prefer: "count=exact",
      });
      expect([read.status, isBlocked]).toEqual([200, true]);
    }
    const written = await third.post("/api/db/teams", { name: "still here", source: "UI" });
    expect([written.status, isBlocked]).toEqual([201, true]);
    await lock.query("rollback");
    await lock.end();
    await Promise.allSettled(worst);
  });

  test("saves what is asked for as CSV, and does not open it", async () => {
    await admin.post("/api/db/properties", { name: "formula", value: "=cmd|' /C calc'!A0" });
    const reply = await admin.get("/api/db/properties?select=value&name=eq.formula", {
      accept: "text/csv",
    });
    // The wire is PostgREST's: programs read what is stored.
    expect(reply.text).toBe(`value\n"=cmd|' /C calc'!A0"`);
    expect(reply.headers.get("content-disposition")).toBe('attachment; filename="properties.csv"');
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    const rows = await admin.get("/api/db/properties?select=value&name=eq.formula");
    expect(rows.headers.get("content-disposition")).toBeNull();
  });

  test.each([
    ["a back-reference", "name=match.(a*)(a*)%5C1"],
    [
      "six levels",
      "select=created_by(team_members(teams(team_members(person_id(created_by(id))))))",
    ],
  ])("asks for what can explode: %s", async (_what, query) => {
    const table = query.startsWith("select") ? "teams" : "properties";
    expect((await admin.get(`/api/db/${table}?${query}`)).status).toBe(400);
  });

  test("meets a newer schema without a request that fails", async () => {
    const statuses = new Set<number>();
    const done = new AbortController();
    const asking = (async () => {
      while (!done.signal.aborted) statuses.add((await admin.get("/api/db/properties")).status);
    })();
    expect((await admin.get("/api/db/properties?select=hue")).status).toBe(400);
    // What another server does when it starts with a newer schema.
    await app.owner.raw("alter table properties add column hue text");
    const tables = features.flatMap((feature) => feature.tables ?? []);
    await prepareDataRoles(app.db, createLog("error"), tables, app.owner);
    await app.db.raw(`notify ${SCHEMA_CHANGED}`);
    await vi.waitFor(
      async () => expect((await admin.get("/api/db/properties?select=hue")).status).toBe(200),
      5_000,
    );
    done.abort();
    await asking;
    expect([...statuses]).toEqual([200]);
  });

  test("OPTIONS says what can be done with a table", async () => {
    const reply = await admin.request("OPTIONS", "/api/db/checks");
    expect([reply.status, reply.headers.get("allow")]).toEqual([200, "OPTIONS,GET,HEAD"]);
  });

  test("a table that is not declared does not exist", async () => {
    for (const name of ["identity_sessions", "migrations", "pg_class", "no_such_table"]) {
      expect((await admin.get(`/api/db/${name}`)).status).toBe(404);
    }
  });

  test("what a hook refuses is said with every place, and nothing is saved", async () => {
    const body = JSON.stringify(
      { name: "bad", namespace: "default", spec: { interval: 30, schedule: "never" } },
      undefined,
      2,
    );
    const reply = await admin.post("/api/db/canaries", body);
    expect(reply.status).toBe(400);
    const json = reply.json as {
      code: string;
      message: string;
      error: string;
      details: string;
      hint: null;
      issues: { path: string; line: number; column: number; message: string }[];
    };
    expect(json).toMatchObject({ code: "invalid", hint: null, error: json.message });
    const issue = json.issues.find(({ path }) => path.includes("schedule"))!;
    expect(body.split("\n")[issue.line - 1]).toContain('"schedule"');
    expect(json.details).toContain(`line ${issue.line}, column ${issue.column}: ${issue.path}: `);
    expect((await admin.get("/api/db/canaries?name=eq.bad")).json).toEqual([]);
  });

  test.each([
    ["no JSON", "POST", "/api/db/canaries", "{", 400],
    ["too large", "POST", "/api/db/canaries", `["${"x".repeat(16 * 1024 * 1024)}"]`, 413],
    ["a filter of no kind", "GET", "/api/db/people?name=frob.1", undefined, 400],
    ["a method that nothing has", "PROPFIND", "/api/db/people", undefined, 404],
  ])("%s", async (_what, method, path, body, status) => {
    const reply = await admin.request(method, path, body);
    expect(reply.status).toBe(status);
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("an address that cannot be decoded is refused, and nothing breaks", async () => {
    const answer = await sendRaw(
      Number(new URL(app.address).port),
      "GET /api/db/%E0%A4%A HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect((await admin.get("/api/db/people?limit=0")).status).toBe(200);
  });
});

test("why the database failed is in the log and not in the answer", async () => {
  const database = await testDatabase();
  const logged: string[] = [];
  const failing = await createApp({
    config: testConfig({ role: "api" }),
    db: database.db,
    owner: database.owner,
    log: createLog("error", { write: (line) => void logged.push(line) }),
    consoleDirectory: "/tmp/mainstay-nowhere",
  });
  await failing.listen();
  const session = await failing.createLocalSession();
  await database.owner.raw(`
    create function fail() returns trigger language plpgsql as $$
      begin raise 'a page is torn' using errcode = 'XX001'; end $$;
    create trigger fail before insert on properties for each row execute function fail()`);
  const reply = await client(failing.address, { "x-session-token": session.token }).post(
    "/api/db/properties?select=name",
    { name: "a", value: "1" },
  );
  expect(reply.status).toBe(500);
  expect(reply.text).not.toContain("torn");
  expect(logged.map((line) => JSON.parse(line) as unknown)).toContainEqual(
    expect.objectContaining({
      err: expect.objectContaining({ message: "a page is torn" }) as unknown,
      url: "/api/db/properties",
    }),
  );
  await session.revoke();
  await failing.stop();
  await database.drop();
});
