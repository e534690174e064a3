import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { freePort } from "@mainstay/testkit/servers/index.ts";
import sql from "sql-template-tag";
import { afterAll, expect, test, vi } from "vitest";
import { type App, createApp } from "../../app.ts";
import { createLog } from "#platform/log.ts";
import { testConfig, testDatabase } from "../../testing/app.ts";
import { selfHeartbeat } from "./self-checks.ts";

const dataDir = mkdtempSync("/tmp/mainstay-self-");
const database = await testDatabase();
afterAll(async () => {
  await database.drop();
  rmSync(dataDir, { recursive: true });
});

async function withServer(
  work: (app: App) => Promise<void>,
  settings: Parameters<typeof testConfig>[0] = {},
  log = createLog("silent"),
): Promise<void> {
  const app = await createApp({
    config: testConfig({ selfChecks: true, dataDir, ...settings }),
    db: database.db,
    owner: database.owner,
    log,
    consoleDirectory: fileURLToPath(new URL(".", import.meta.url)),
  });
  await app.listen();
  try {
    await work(app);
  } finally {
    await app.stop();
  }
}

const checks = () =>
  database.db.rows<{
    name: string;
    status: string | null;
    error: string | null;
    url: string | null;
  }>(sql`
    select c.name, c.status, t.error, coalesce(c.spec ->> 'url', c.spec ->> 'endpoint', c.spec ->> 'path') as url from checks c
      left join check_totals t on t.check_id = c.id where c.deleted_at is null order by c.name`);

test("on the first start Mainstay watches itself; what is deleted stays deleted", async () => {
  await withServer(async ({ ctx }) => {
    await vi.waitFor(
      async () =>
        expect(
          (await checks()).map(({ name, status, error }) => ({ name, status, error })),
        ).toEqual(
          ["answers", "database", "free space", "name resolution", "scheduler"].map((name) => ({
            name,
            status: "healthy",
            error: null,
          })),
        ),
      { timeout: 15_000, interval: 50 },
    );
    // The scheduler's job; it would come by itself within half a minute.
    expect((await selfHeartbeat.run(ctx)).successes).toBe(1);
    expect(
      await database.db.first(sql`select last_beat is not null as beaten from check_beats`),
    ).toEqual({ beaten: true });
  });
  // Another port and another data directory: the checks of them follow.
  await database.db.run(
    sql`update canaries set spec = jsonb_set(spec, '{folder,0,path}', '"/tmp/mainstay-gone"')`,
  );
  await withServer(async ({ address }) => {
    expect((await checks()).find((check) => check.name === "answers")?.url).toBe(
      `${address}/api/_health`,
    );
    expect((await checks()).find((check) => check.name === "name resolution")?.url).toBe(
      `localhost:${new URL(address).port}`,
    );
    expect((await checks()).find((check) => check.name === "free space")?.url).toBe(dataDir);
    await database.db.run(sql`update canaries set deleted_at = now()`);
  });
  await withServer(async () => {
    expect(await checks()).toEqual([]);
  });
});

test("while PUBLIC_URL leads nowhere from here, the local address is asked, and that is said once", async () => {
  await database.owner.run(sql`truncate canaries cascade`);
  await database.db.run(sql`delete from migration_logs where path = 'seed:self-checks'`);
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const own = () =>
    database.db.rows<{ url: string; description: string; status: string | null }>(sql`
      select c.spec ->> 'url' as url, c.description, c.status from checks c
       where c.type = 'http' and c.deleted_at is null order by c.name`);
  const said: string[] = [];
  const log = createLog("warn", { write: (line) => void said.push(line) });
  await withServer(
    async ({ localAddress }) => {
      await vi.waitFor(
        async () =>
          expect(await own()).toEqual([
            {
              url: `${localAddress}/api/_health`,
              description: `This server answers. Asked at ${localAddress}: ${publicUrl} (PUBLIC_URL) was not reachable from here at the last start.`,
              status: "healthy",
            },
            {
              url: `${localAddress}/api/_ready`,
              description: expect.stringContaining("was not reachable from here") as string,
              status: "healthy",
            },
          ]),
        { timeout: 15_000, interval: 50 },
      );
    },
    { publicUrl },
    log,
  );
  expect(said.filter((line) => line.includes("not reachable from here"))).toHaveLength(1);
  // Something else stands there, then it is what leads here.
  const answers = { body: "<h1>It works</h1>" };
  const proxy = createServer((_request, response) => response.end(answers.body));
  await new Promise<void>((resolve) => proxy.listen(port, "127.0.0.1", resolve));
  try {
    await withServer(
      async ({ localAddress }) => {
        expect((await own())[0]?.url).toBe(`${localAddress}/api/_health`);
      },
      { publicUrl },
    );
    answers.body = '{"status":"ok"}';
    await withServer(
      async () => {
        expect(await own()).toMatchObject([
          { url: `${publicUrl}/api/_health`, description: "This server answers." },
          { url: `${publicUrl}/api/_ready`, description: "This server reaches its database." },
        ]);
      },
      { publicUrl },
    );
  } finally {
    proxy.close();
  }
});

test("the script of an earlier version gives way; what somebody has written stays", async () => {
  await database.owner.run(sql`truncate canaries cascade`);
  await database.db.run(sql`delete from migration_logs where path = 'seed:self-checks'`);
  await withServer(async () => {
    await vi.waitFor(async () => expect(await checks()).not.toEqual([]));
  });
  const old = {
    name: "name resolution",
    script: 'getent hosts "$(uname -n)" || getent hosts localhost',
  };
  const own = { name: "own", script: "true" };
  const description = "This server answers. Ask Ada when it does not.";
  await database.db.run(sql`
    update canaries set spec = jsonb_set(spec - 'tcp', '{http,0,description}', to_jsonb(${description}::text))
                               || jsonb_build_object('exec', ${JSON.stringify([old, own])}::jsonb)`);
  await withServer(async () => {
    expect(
      await database.db.rows(
        sql`select description from checks where name = 'answers' and deleted_at is null`,
      ),
    ).toEqual([{ description }]);
    const found = await database.db.rows(sql`
      select c.type, c.name from checks c where c.deleted_at is null and c.type in ('exec', 'tcp') order by 1`);
    expect(found).toEqual([
      { type: "exec", name: "own" },
      { type: "tcp", name: "name resolution" },
    ]);
  });
});
