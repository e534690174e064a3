import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Config } from "#platform/config.ts";
import { createLog } from "#platform/log.ts";
import { type App, createApp } from "./app.ts";
import { client, startTestApp, testConfig, testDatabase, type TestApp } from "./testing/app.ts";

/** Where everybody may write without signing in, there is no cookie that another site's page would lack. */

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ checkerOnly: true, checkerWrite: true, role: "api" });
});
afterAll(() => app.stop());

let made = 0;
const canary = () =>
  JSON.stringify({
    name: `planted-${(made += 1)}`,
    namespace: "default",
    spec: { schedule: "@every 1h", http: [{ name: "x", url: "http://127.0.0.1/" }] },
  });

/** As a page sends it that needs no permission of this server: text of no type, and no question before. */
function send(headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${app.address}/api/db/canaries`,
      { method: "POST", headers },
      (reply) => {
        reply.resume();
        resolve(reply.statusCode ?? 0);
      },
    );
    asked.on("error", reject);
    asked.end(canary());
  });
}

test.each<[string, number, (own: URL) => Record<string, string>]>([
  [
    "another site's page",
    403,
    () => ({ origin: "https://evil.example", "sec-fetch-site": "cross-site" }),
  ],
  [
    "another port's page",
    403,
    ({ hostname }) => ({ origin: `http://${hostname}:1`, "sec-fetch-site": "same-site" }),
  ],
  ["a page without a name", 403, () => ({ origin: "null" })],
  [
    "a page whose name was made to lead here",
    403,
    ({ port }) => ({
      host: `evil.example:${port}`,
      origin: `http://evil.example:${port}`,
      "sec-fetch-site": "same-origin",
    }),
  ],
  ["a page of this server", 201, ({ origin }) => ({ origin, "sec-fetch-site": "same-origin" })],
])("%s", async (_what, status, headers) => {
  expect(await send(headers(new URL(app.address)))).toBe(status);
});

const reaching: [what: string, spec: Record<string, unknown>][] = [
  ["a program", { exec: [{ name: "x", script: "id" }] }],
  ["a folder", { folder: [{ name: "x", path: "/etc" }] }],
  ["a socket", { postgres: [{ name: "x", url: "postgres://postgres@/x?host=/run/nowhere" }] }],
  ["a type that is not run yet", { junit: [{ name: "x", testResults: "/etc" }] }],
];
const documentOf = (spec: Record<string, unknown>, name = `planted-${(made += 1)}`) => ({
  name,
  namespace: "default",
  spec: { schedule: "@never", ...spec },
});
const textOf = (spec: Record<string, unknown>) => {
  const { spec: whole, ...metadata } = documentOf(spec);
  return JSON.stringify({
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata,
    spec: whole,
  });
};

describe.each(reaching)("%s", (_what, spec) => {
  test("gets in by no way", async () => {
    const { nobody } = app;
    const harmless = await nobody.post(
      "/api/db/canaries?select=id",
      documentOf({ http: [{ name: "x", url: "http://127.0.0.1:1/" }] }),
      { prefer: "return=representation" },
    );
    const path = `/api/db/canaries?id=eq.${harmless.json[0].id}`;
    const attempts = [
      await nobody.post("/api/db/canaries", documentOf(spec)),
      await nobody.post("/api/db/canaries", [documentOf({}), documentOf(spec)]),
      await nobody.patch(path, { spec: documentOf(spec).spec }),
      await nobody.post("/api/canary/documents", { text: textOf(spec) }),
      await nobody.post("/api/canary/run/document", { document: textOf(spec) }),
    ];
    for (const { status, json } of attempts) {
      expect(status).toBe(403);
      expect(json.error).toContain("(--checker-write) programs, local folders, files and sockets");
    }
    expect((await nobody.patch(path, { labels: { still: "open" } })).status).toBe(204);
  });
});

test("nothing of the catalog is open but the items that checks are related to", async () => {
  const { db, nobody } = app;
  const [related] = await db.rows<{ id: string }>(sql`
    insert into config_items (name, type, config_class) values ('related', 'X', 'X'), ('other', 'X', 'X') returning id`);
  await db.run(sql`
    with c as (insert into canaries (name, namespace, spec) values ('of an item', 'default', '{"schedule":"@never"}') returning id),
         k as (insert into checks (canary_id, type, name, spec, status) select id, 'http', 'x', '{}', 'healthy' from c returning id, canary_id)
    insert into check_config_relationships (check_id, canary_id, config_id, selector_id)
    select id, canary_id, ${related!.id}, 'x' from k`);
  expect((await nobody.get("/api/db/configs?select=name")).json).toEqual([{ name: "related" }]);
  for (const table of [
    "config_items",
    "config_scrapers",
    "config_detail",
    "config_changes",
    "config_analysis",
  ])
    expect((await nobody.get(`/api/db/${table}?limit=1`)).status, table).toBe(403);
  expect((await nobody.post("/api/catalog/summary", {})).status).toBe(403);
});

test("who tried what, and from where, is on record", async () => {
  const document = textOf({ exec: [{ name: "x", script: "id" }] });
  await app.nobody.post(
    "/api/canary/run/document",
    { document },
    { "x-request-id": "req-anybody" },
  );
  expect(
    await app.db.first(sql`
      select actor_id, actor_name, address, verb, after ->> 'refused' as refused
        from audit_log where request_id = 'req-anybody'`),
  ).toEqual({
    actor_id: null,
    actor_name: "Anonymous",
    address: "127.0.0.1",
    verb: "dry_run",
    refused: "true",
  });
});

describe("what was stored before everybody could write", () => {
  const folder = mkdtempSync("/tmp/mainstay-held-");
  const marker = join(folder, "ran");
  let database: Awaited<ReturnType<typeof testDatabase>>;
  beforeAll(async () => {
    // Whoever runs the program may not be who made the folder.
    chmodSync(folder, 0o777);
    database = await testDatabase();
  });
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function serving(changes: Partial<Config>, work: (server: App) => Promise<void>) {
    const server = await createApp({
      config: testConfig(changes),
      db: database.db,
      log: createLog("silent"),
      consoleDirectory: folder,
    });
    await server.listen();
    try {
      await work(server);
    } finally {
      await server.stop();
    }
  }
  const states = () =>
    database.db.rows<{ id: string; name: string; status: string; held: string | null }>(sql`
      select c.id, c.name, coalesce(c.status, 'unknown') as status, t.held
        from checks c left join check_totals t on t.check_id = c.id order by c.name`);

  test("is held there with the reason, and runs again elsewhere", async () => {
    await serving({ role: "api" }, async (server) => {
      const { token } = await server.createLocalSession();
      const reply = await client(server.address, { "x-session-token": token }).post(
        "/api/db/canaries",
        documentOf({
          schedule: "@every 1s",
          exec: [{ name: "reaching", script: `echo ran >> ${marker}` }],
          http: [{ name: "web", url: `${app.address}/api/_health` }],
        }),
      );
      expect(reply.status, reply.text).toBe(201);
    });
    expect(await states()).toMatchObject([{ held: null }, { held: null }]);

    await serving({ checkerOnly: true, checkerWrite: true }, async (server) => {
      // Both are due at once: when one has run, the other would have.
      await vi.waitFor(
        async () =>
          expect(await states()).toMatchObject([
            { name: "reaching", status: "unknown", held: expect.stringContaining("off, whoever") },
            { name: "web", status: "healthy", held: null },
          ]),
        { timeout: 15_000, interval: 50 },
      );
      const [reachingCheck] = await states();
      const run = await client(server.address).post(`/api/canary/run/check/${reachingCheck?.id}`);
      expect(run.status).toBe(409);
      expect(run.json.error).toContain("off, whoever asks");
    });
    expect(existsSync(marker)).toBe(false);

    await serving({}, async () => {
      await vi.waitFor(
        async () => {
          expect(await states()).toMatchObject([{ held: null }, { held: null }]);
          expect(existsSync(marker)).toBe(true);
        },
        { timeout: 15_000, interval: 50 },
      );
    });
  });

  test("no scraper runs there that reaches into the machine", async () => {
    const document = {
      name: "reader",
      namespace: "default",
      spec: {
        schedule: "@never",
        exec: [{ id: "$.id", type: "X", script: `touch ${marker}-scraped` }],
      },
    };
    const [scraper] = await database.db.rows<{ id: string }>(sql`
      insert into config_scrapers (name, namespace, spec)
      values (${document.name}, 'default', ${JSON.stringify(document.spec)}::jsonb) returning id`);
    await database.db.run(sql`
      insert into schedules (kind, key, schedule, next_at) values ('config_scraper', ${scraper!.id}, '@never', now())`);
    await serving({ checkerOnly: true, checkerWrite: true }, async () => {
      await vi.waitFor(
        async () =>
          expect(
            await database.db.rows(sql`
              select status, details -> 'errors' ->> 0 as why from job_history
               where resource_id = ${scraper!.id} and time_end is not null`),
          ).toEqual([{ status: "FAILED", why: expect.stringContaining("off, whoever asks") }]),
        { timeout: 15_000, interval: 50 },
      );
    });
    expect(existsSync(`${marker}-scraped`)).toBe(false);
  });

  test("the server's own checks need none of it", async () => {
    await database.db.run(sql`delete from canaries`);
    await database.db.run(sql`delete from migration_logs where path = 'seed:self-checks'`);
    await serving({ checkerOnly: true, checkerWrite: true, selfChecks: true }, async () => {
      const found = await states();
      expect(found.map(({ name }) => name)).toContain("name resolution");
      expect(found.filter(({ held }) => held !== null)).toEqual([]);
    });
  });
});
