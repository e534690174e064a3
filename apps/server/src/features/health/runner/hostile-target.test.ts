import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";

/** Targets that answer what no database can hold, beside others that must not notice. */

let app: TestApp;
let target: Server;
let url: string;
const DEEP = 24_000;
const answers: Record<string, [status: number, body: string]> = {
  "/deep": [200, "[".repeat(DEEP) + "]".repeat(DEEP)],
  "/deep-objects": [200, '{"a":'.repeat(8_000) + "1" + "}".repeat(8_000)],
  "/nested": [200, '{"a":'.repeat(100) + "1" + "}".repeat(100)],
  "/nul-key": [500, '{"\\u0000a":1,"\\u0000":{"\\ud800":"\\u0000"}}'],
  "/proto": [200, '{"__proto__":{"toJSON":1},"constructor":{},"toJSON":"x"}'],
  "/many": [
    200,
    JSON.stringify(Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [n, n]))),
  ],
  "/numbers": [200, "[1e999,-1e999,-0,1e-400,9007199254740993]"],
  "/plain": [200, "ok"],
};

beforeAll(async () => {
  target = createServer((request, response) => {
    const [status, body] = answers[request.url ?? ""] ?? [404, ""];
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  app = await startTestApp();
});
afterAll(async () => {
  await app.stop();
  target.closeAllConnections();
  await new Promise((resolve) => target.close(resolve));
});

const save = async (name: string, spec: object) => {
  const reply = await app.admin.post("/api/db/canaries", { name, namespace: "test", spec });
  expect(reply.status, reply.text).toBe(201);
};
const http = (path: string) => ({
  schedule: "@every 1s",
  http: [{ name: path, url: `${url}${path}` }],
});

interface Row {
  name: string;
  status: string | null;
  runs: number;
  gap: number | null;
}
const rows = () =>
  app.db.rows<Row>(sql`
    select c.name, c.status, count(s.time)::int as runs, extract(epoch from max(s.gap))::float8 as gap
      from checks c
      left join (select check_id, time, time - lag(time) over (partition by check_id order by time) as gap
                   from check_statuses) s on s.check_id = c.id
     group by c.id order by c.name`);
const lost = async () => {
  const text = (await app.nobody.get("/metrics")).text;
  return Number(/^mainstay_check_results_lost_total (\d+)/m.exec(text)?.[1]);
};

test("each has its result, and the others keep their rhythm", async () => {
  const paths = Object.keys(answers);
  for (const path of paths) await save(path.slice(1), http(path));
  for (let n = 0; n < 20; n++) await save(`beside-${n}`, http("/plain"));
  await vi.waitFor(
    async () => {
      const found = await rows();
      expect(Math.min(...found.map((row) => row.runs))).toBeGreaterThanOrEqual(6);
    },
    { timeout: 40_000, interval: 200 },
  );
  const found = await rows();
  const statuses = Object.fromEntries(found.map((row) => [row.name, row.status]));
  expect(statuses["/nul-key"]).toBe("unhealthy");
  for (const path of paths)
    if (path !== "/nul-key") expect([path, statuses[path]]).toEqual([path, "healthy"]);
  // None waited for another: a batch that is tried again and again would show as a gap of all of them.
  expect(Math.max(...found.map((row) => row.gap ?? 0))).toBeLessThan(10);
  expect(await lost()).toBe(0);
  const deep = await app.db.first<{ cut: string }>(sql`
    select s.details ->> 'cut' as cut from check_statuses s join checks c on c.id = s.check_id
     where c.name = '/nested' limit 1`);
  expect(deep?.cut).toMatch(/at most 64 levels/);
}, 60_000);

test("trying such a document answers, and so does running its check at once", async () => {
  const document = (path: string) =>
    JSON.stringify({
      apiVersion: "canaries.flanksource.com/v1",
      kind: "Canary",
      metadata: { name: "tried" },
      spec: http(path),
    });
  for (const path of ["/deep", "/deep-objects", "/nul-key", "/proto"]) {
    const tried = await app.admin.post("/api/canary/run/document", { document: document(path) });
    expect([path, tried.status, tried.json.results?.[0]?.pass]).toEqual([
      path,
      200,
      path !== "/nul-key",
    ]);
    const check = await app.db.first<{ id: string }>(
      sql`select id from checks where name = ${path}`,
    );
    const run = await app.admin.post(`/api/canary/run/check/${check!.id}`);
    expect([path, run.status, run.json.pass]).toEqual([path, 200, path !== "/nul-key"]);
  }
});
