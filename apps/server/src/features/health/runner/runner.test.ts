// Takes long: checks run by the clock.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import sql from "sql-template-tag";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";

let app: TestApp;
let target: Server;
let url: string;
/** What the target does with a path; without an entry it answers 200. */
const answers = new Map<string, () => number | "never">();
const hits = new Map<string, number>();

beforeAll(async () => {
  target = createServer((request, response) => {
    const path = request.url ?? "/";
    hits.set(path, (hits.get(path) ?? 0) + 1);
    const answer = answers.get(path)?.() ?? 200;
    if (answer !== "never") response.writeHead(answer).end("ok");
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  app = await startTestApp();
});
afterAll(async () => {
  target.closeAllConnections();
  await new Promise((resolve) => target.close(resolve));
  await app.stop();
});
afterEach(async () => {
  await app.admin.patch("/api/db/canaries?deleted_at=is.null", { deleted_at: "now()" });
});

const save = async (name: string, spec: object) => {
  const reply = await app.admin.post(
    "/api/db/canaries",
    { name, namespace: "test", spec },
    { prefer: "return=representation" },
  );
  expect(reply.status, reply.text).toBe(201);
  return reply.json[0].id as string;
};
const checksOf = (canaryId: string) =>
  app.db.rows<{ id: string; name: string; status: string | null; runs: number }>(sql`
    select c.id, c.name, c.status, (select count(*) from check_statuses s where s.check_id = c.id)::int as runs
      from checks c where c.canary_id = ${canaryId} and c.deleted_at is null order by c.name`);
const until = <T>(work: () => Promise<T>) => vi.waitFor(work, { timeout: 15_000, interval: 25 });

test("a saved document is run at once, again at its interval, and its state is written", async () => {
  let code = 200;
  answers.set("/turns", () => code);
  const id = await save("turns", {
    schedule: "@every 1s",
    http: [{ name: "t", url: `${url}/turns` }],
  });
  await until(async () => expect((await checksOf(id))[0]).toMatchObject({ status: "healthy" }));
  code = 500;
  await until(async () => expect((await checksOf(id))[0]).toMatchObject({ status: "unhealthy" }));
  const row = await app.db.first<{ error: string; last: Date; next: Date }>(sql`
    select s.error, c.last_runtime as last, c.next_runtime as next from check_statuses s join checks c on c.id = s.check_id
     where c.canary_id = ${id} and not s.status limit 1`);
  expect(row?.error).toMatch(/500/);
  expect(row!.next.getTime()).toBeGreaterThan(row!.last.getTime());
  await until(async () => {
    const { json } = await app.admin.get(`/api/db/job_histories?resource_id=eq.${id}`);
    expect(json.at(-1)).toMatchObject({
      name: "Canary",
      resource_type: "canary",
      resource_name: "turns",
      status: "FAILED",
      details: { errors: [expect.stringMatching(/^t: .*500/) as string] },
    });
  });
  const shown = await app.admin.get(`/api/db/canaries_with_status?id=eq.${id}`);
  expect(shown.json[0]).toMatchObject({ job_name: "Canary", job_status: "FAILED" });
});

test("a stuck target delays neither its neighbours in the document nor other documents", async () => {
  answers.set("/stuck", () => "never");
  const stuck = await save("stuck", {
    interval: 60,
    http: [
      { name: "a stuck", url: `${url}/stuck`, timeout: "30s" },
      { name: "b quick", url: `${url}/quick` },
    ],
  });
  const other = await save("other", {
    schedule: "@every 1s",
    http: [{ name: "o", url: `${url}/other` }],
  });
  await until(async () => {
    const [a, b] = await checksOf(stuck);
    expect(a).toMatchObject({ runs: 0 });
    expect(b).toMatchObject({ status: "healthy", runs: 1 });
    expect((await checksOf(other))[0]!.runs).toBeGreaterThanOrEqual(3);
  });
  // The stuck one has 30 seconds and the canary does not come due again before: its neighbour is not overdue meanwhile.
  const due = await app.db.first<{ seconds: number }>(sql`
    select extract(epoch from result_due - last_runtime)::float8 as seconds from checks
     where canary_id = ${stuck} and name = 'b quick'`);
  expect(due!.seconds).toBeGreaterThan(30 + 30);
});

test("a check that takes too long fails and says so, and the next run comes", async () => {
  answers.set("/slow", () => "never");
  const id = await save("slow", {
    schedule: "@every 1s",
    timeout: "1s",
    http: [{ name: "s", url: `${url}/slow` }],
  });
  await until(async () => expect((await checksOf(id))[0]!.runs).toBeGreaterThanOrEqual(2));
  const row = await app.db.first<{ error: string; duration: number }>(sql`
    select s.error, s.duration from check_statuses s join checks c on c.id = s.check_id where c.canary_id = ${id} limit 1`);
  expect(row?.error).toMatch(/1000 ms|timed out/);
  expect(row!.duration).toBeLessThan(3000);
});

describe("what is not run says why, and is never green", () => {
  test.each([
    ["a type that is kept", { amqp: [{ name: "k", addr: "a" }] }, /not supported/],
    [
      "a field that is kept",
      { folder: [{ name: "h", path: "azblob://container" }] },
      /azblob folders are not supported/,
    ],
  ])("%s", async (_, spec, reason) => {
    const id = await save("held", { schedule: "@every 1s", ...spec });
    const [check] = await checksOf(id);
    expect(check).toMatchObject({ status: "unknown", runs: 0 });
    const summary = await app.admin.get("/api/canary/api/summary");
    const shown = summary.json.checks_summary.find((item: { id: string }) => item.id === check!.id);
    expect(shown).toMatchObject({ uptime: { passed: 0, failed: 0 }, recent: [] });
    expect(shown).not.toHaveProperty("status");
    expect(shown.message).toMatch(reason);
    for (const accept of ["*/*", "text/html", "text/csv", "application/xml"]) {
      const refused = await app.admin.post(`/api/canary/run/check/${check!.id}`, undefined, {
        accept,
      });
      expect(refused.status).toBe(409);
      expect(refused.headers.get("content-type")).toMatch(/^application\/json/);
      expect(refused.json.error).toMatch(reason);
      expect(refused.json.message).toBe(refused.json.error);
    }
  });
});

test.each<[string, string, unknown, RegExp?]>([
  ["no list", "docker", { name: "old", image: "127.0.0.1:1/a" }],
  ["no image", "containerd", [{ name: "old" }], /^"image"/],
  ["no digest", "docker", [{ name: "old", image: "x@sha256:abc" }], /^"image".*hexadecimal/],
  ["one text", "docker", [{ name: "old", image: "127.0.0.1:1/a", auth: "dTpw" }], /^"auth"/],
  ["half a second", "s3Bucket", [{ name: "old", bucket: "b", maxAge: 1.5 }], /^"maxAge"/],
])(
  "what earlier versions kept of an image or a bucket stops no other check: %s",
  async (_, type, kept, why) => {
    const id = await save("upgraded", {
      schedule: "@every 1s",
      http: [{ name: "good", url }],
      [type]: [
        { name: "old", image: "127.0.0.1:1/a", bucket: "b", endpoint: "http://127.0.0.1:1" },
      ],
    });
    await app.db.run(sql`
    update canaries set spec = spec || ${JSON.stringify({ [type]: kept })}::jsonb where id = ${id}`);
    const of = async (name: string) => (await checksOf(id)).find((check) => check.name === name)!;
    const { runs } = await of("good");
    // One run may have begun before.
    await until(async () => expect((await of("good")).runs).toBeGreaterThan(runs + 1));
    expect(await of("good")).toMatchObject({ status: "healthy" });
    const reply = await app.admin.post(`/api/canary/run/check/${(await of("old")).id}`);
    if (why === undefined) expect(reply.status).toBe(200);
    else expect(reply).toMatchObject({ status: 409, json: { error: expect.stringMatching(why) } });
  },
);

test("a paused document is not run by the clock", async () => {
  const paused = await save("paused", {
    schedule: "@every 1s",
    replicas: 0,
    http: [{ name: "p", url: `${url}/paused` }],
  });
  const running = await save("running", {
    schedule: "@every 1s",
    http: [{ name: "r", url: `${url}/running` }],
  });
  await until(async () => expect((await checksOf(running))[0]!.runs).toBeGreaterThanOrEqual(2));
  expect((await checksOf(paused))[0]!.runs).toBe(0);
});

describe("run now", () => {
  test("runs the one check, stores the result and answers with it", async () => {
    const id = await save("now", {
      schedule: "@never",
      http: [
        { name: "one", url: `${url}/one` },
        { name: "two", url: `${url}/two` },
      ],
    });
    const [one, two] = await checksOf(id);
    const reply = await app.admin.post(`/api/canary/run/check/${one!.id}`);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json).toMatchObject({
      name: "one",
      type: "http",
      pass: true,
      total: 1,
      success: 1,
      failed: 0,
      errors: [],
    });
    expect(await checksOf(id)).toEqual([
      { ...one, status: "healthy", runs: 1 },
      { ...two, runs: 0 },
    ]);
  });

  test("waits for a run of the same document that is going on", async () => {
    let held: (() => void) | undefined;
    let atOnce = 0;
    let most = 0;
    const gate = createServer((_request, response) => {
      most = Math.max(most, ++atOnce);
      held = () => {
        atOnce -= 1;
        response.end("ok");
      };
    });
    await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`;
    const id = await save("overlap", {
      interval: 3600,
      http: [{ name: "x", url: address, timeout: "20s" }],
    });
    await until(async () => expect(atOnce).toBe(1));
    const [check] = await checksOf(id);
    const running = app.admin.post(`/api/canary/run/check/${check!.id}`);
    // It asks for the claim and does not get it; the target has not been called a second time.
    await until(async () => {
      const asked = await app.db.first(sql`
        select from pg_stat_activity
         where datname = current_database() and query like '%set claimed_by = $1%returning claimed_at, next_at'`);
      expect(asked).toBeDefined();
    });
    held!();
    await until(async () => expect(atOnce).toBe(1));
    held!();
    expect((await running).status).toBe(200);
    expect(most).toBe(1);
    expect((await checksOf(id))[0]!.runs).toBe(2);
    gate.closeAllConnections();
    await new Promise((resolve) => gate.close(resolve));
  });

  test("is not for viewers, nor for what does not exist", async () => {
    expect(
      (await app.nobody.post("/api/canary/run/check/00000000-0000-4000-8000-000000000000")).status,
    ).toBe(401);
    expect(
      (await app.admin.post("/api/canary/run/check/00000000-0000-4000-8000-000000000000")).status,
    ).toBe(404);
    expect((await app.admin.post("/api/canary/run/check/nonsense")).status).toBe(400);
  });
});

describe("heartbeats", () => {
  test("pass while beats come, fail when they stop, and their address is shown once", async () => {
    const id = await save("beats", {
      schedule: "@every 1s",
      heartbeat: [{ name: "b", every: "1s", grace: "1s" }],
    });
    const [check] = await checksOf(id);
    const made = await app.admin.post(`/api/canary/beat-url/${check!.id}`);
    expect(made.status, made.text).toBe(200);
    const path = new URL(made.json.url).pathname;
    expect((await app.nobody.get(path)).status).toBe(200);
    await until(async () => expect((await checksOf(id))[0]).toMatchObject({ status: "unhealthy" }));
    await until(async () => {
      expect((await app.nobody.post(path)).status).toBe(200);
      expect((await checksOf(id))[0]).toMatchObject({ status: "healthy" });
    });
    await app.admin.post(`/api/canary/beat-url/${check!.id}`);
    expect((await app.nobody.get(path)).status).toBe(404);
    const stored = await app.db.rows<{ token_hash: string }>(
      sql`select token_hash from check_beats where check_id = ${check!.id}`,
    );
    expect(JSON.stringify(stored)).not.toContain(path.split("/").at(-1));
  });

  test("a token of the document works at once and is changed there only", async () => {
    const id = await save("tokens", {
      schedule: "@never",
      heartbeat: [{ name: "b", every: "1h", token: "a-token-of-my-own" }],
    });
    const [check] = await checksOf(id);
    expect((await app.nobody.get("/api/canary/beat/a-token-of-my-own")).status).toBe(200);
    expect((await app.admin.post(`/api/canary/beat-url/${check!.id}`)).status).toBe(409);
    expect((await app.nobody.get("/api/canary/beat/another")).status).toBe(404);
  });
});
