// Takes long: documents are applied and scraped by the program's own worker.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Listening, listenForPostgres, listenTcp } from "@mainstay/testkit/servers/index.ts";
import pg from "pg";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { type Run, scraperRuns } from "../testing/scraper-runs.ts";

/** What a source tells by half: nothing is taken for gone or changed, the run says why, and the next makes it right. */

let app: TestApp;
let runs: ReturnType<typeof scraperRuns>;
let source: Listening;
/** What is sent for a path, as it stands on the wire; the connection ends with it. */
const answers = new Map<string, string>();

beforeAll(async () => {
  source = await listenTcp((socket) => {
    socket.on("error", () => {});
    socket.once("data", (request: Buffer) => {
      const path = request.toString("latin1").split(" ", 2)[1]!;
      socket.end(answers.get(path) ?? "");
    });
  });
  app = await startTestApp();
  runs = scraperRuns(app);
});
afterAll(async () => {
  await app.stop();
  await source.close();
});

const told = (id: string) =>
  app.db.rows<{ name: string; config: object }>(sql`
    select name, config, deleted_at, (select count(*)::int from config_changes c where c.config_id = i.id) as changes
      from config_items i where scraper_id = ${id} order by name`);

/** Long enough ago that whatever a whole scrape does not find is gone. */
const seenLongAgo = (id: string) =>
  app.db.run(
    sql`update config_item_scrapes set seen_at = seen_at - interval '3 days' where scraper_id = ${id}`,
  );

/** When the one of its items that has waited longest was seen, as screens have it. */
async function seenLast(id: string): Promise<number> {
  const reply = await app.admin.get(
    `/api/db/configs?scraper_id=eq.${id}&order=last_scraped_time&limit=1&select=last_scraped_time`,
  );
  const [row] = reply.json as { last_scraped_time: string }[];
  return Date.parse(row!.last_scraped_time);
}

/**
 * Has what was told by half no effect but an error, and is all as it was after the next whole scrape? Meanwhile what was
 * not told is shown as old as it is.
 */
async function staysThrough(
  id: string,
  { breaks, mends, error }: { breaks(): unknown; mends(): unknown; error: RegExp },
): Promise<void> {
  const before = await told(id);
  expect(before.length).toBeGreaterThan(1);
  await seenLongAgo(id);
  const seen = await seenLast(id);
  await breaks();
  const broken = await runs.rerun(id);
  expect(await seenLast(id)).toBe(seen);
  expect(broken.details.errors?.join("\n")).toMatch(error);
  expect(await told(id)).toEqual(before);
  await mends();
  const whole: Run = await runs.rerun(id);
  expect(whole).toMatchObject({ status: "SUCCESS", success_count: before.length });
  expect(await seenLast(id)).toBeGreaterThan(seen);
  expect(await told(id)).toEqual(before);
}

const head = (more: string) => `HTTP/1.1 200 OK\r\nconnection: close\r\n${more}\r\n\r\n`;
const json = "content-type: application/json";
const whole = (value: object) => head(json) + JSON.stringify(value);
const boxes = (...ids: number[]) => ids.map((id) => ({ id, size: id * 10 }));
const text = JSON.stringify({ list: boxes(1, 2, 3) });
const half = text.slice(0, text.length - 20);

test.each([
  [
    "shorter than it says",
    `${head(`${json}\r\ncontent-length: ${text.length}`)}${half}`,
    /closed|does not match content-length/,
  ],
  [
    "in chunks, of which the last is missing",
    `${head(`${json}\r\ntransfer-encoding: chunked`)}${half.length.toString(16)}\r\n${half}\r\n`,
    /closed|does not answer in HTTP/,
  ],
  [
    "without a length, which ends in its middle",
    head(json) + half,
    /answered with what is no JSON/,
  ],
  ["that does not say what it is", head("x: y") + half, /answered with what is no JSON/],
  ["that is empty", head(json), /answered with what is no JSON/],
])("an answer over HTTP %s", async (_how, broken, error) => {
  const good = whole({ list: boxes(1, 2, 3) });
  answers.set("/boxes", good);
  answers.set("/more", whole({ list: boxes(4) }));
  const http = (path: string) => ({
    url: `http://127.0.0.1:${source.port}${path}`,
    items: "$.list[*]",
    id: "$.id",
    type: "Box",
  });
  const id = await runs.apply({ http: [http("/boxes"), http("/more")] });
  await runs.ran(id);
  await staysThrough(id, {
    breaks: () => answers.set("/boxes", broken),
    mends: () => answers.set("/boxes", good),
    error,
  });
});

test.each([true, false])("a page of several over HTTP, each for itself: %s", async (perPage) => {
  const page = (id: number) => whole({ list: boxes(id), next: id < 3 ? `/page-${id + 1}` : null });
  for (const id of [1, 2, 3]) answers.set(`/page-${id}`, page(id));
  const id = await runs.apply({
    http: [
      {
        url: `http://127.0.0.1:${source.port}/page-1`,
        pagination: {
          nextPageExpr: "body.?next.orValue('')",
          ...(perPage ? { perPage } : { reduceExpr: "acc + page.list" }),
        },
        ...(perPage && { items: "$.list[*]" }),
        id: "$.id",
        type: "Box",
      },
    ],
  });
  expect(await runs.ran(id)).toMatchObject({ success_count: 3 });
  for (const [broken, error] of [
    ["HTTP/1.1 500 Broken\r\ncontent-length: 0\r\n\r\n", /page-2 answered 500/],
    [page(2).slice(0, -10), /page-2 answered with what is no JSON/],
  ] as const)
    await staysThrough(id, {
      breaks: () => answers.set("/page-2", broken),
      mends: () => answers.set("/page-2", page(2)),
      error,
    });
});

test("values in lines are a text as before, and no half answer", async () => {
  answers.set("/lines", `${head("x: y")}{"id": 1}\n{"id": 2}\n`);
  const id = await runs.apply({
    http: [{ url: `http://127.0.0.1:${source.port}/lines`, id: "lines", type: "Lines" }],
  });
  expect(await runs.ran(id)).toMatchObject({ status: "SUCCESS" });
  expect(await told(id)).toMatchObject([{ config: { content: '{"id": 1}\n{"id": 2}\n' } }]);
});

test.each([
  ["json", JSON.stringify(boxes(1, 2, 3)), /is no JSON/],
  ["yaml", "- { id: 1, size: 10 }\n- { id: 2, size: 20 }\n- { id: 3, size: 30 }\n", /is no YAML/],
])("a file of %s that is being written", async (ending, content, error) => {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-half-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, `boxes.${ending}`);
  const write = (said: string) => writeFileSync(file, said);
  write(content);
  writeFileSync(join(folder, "other.json"), JSON.stringify(boxes(9)));
  const id = await runs.apply({
    file: [{ url: folder, items: "$[*]", id: "$.id", type: "Box" }],
  });
  expect(await runs.ran(id)).toMatchObject({ success_count: 4 });
  await staysThrough(id, {
    breaks: () => write(content.slice(0, -8)),
    mends: () => write(content),
    error,
  });
  await staysThrough(id, { breaks: () => write(""), mends: () => write(content), error });
});

test("a file of YAML that is written in portions, each of which is YAML as well", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-half-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "boxes.yaml");
  const content = boxes(1, 2, 3)
    .map((box) => `${JSON.stringify(box)}\n`)
    .join("---\n");
  writeFileSync(file, content);
  const id = await runs.apply({ file: [{ url: folder, id: "$.id", type: "Box" }] });
  expect(await runs.ran(id)).toMatchObject({ success_count: 3 });
  const end = { writer: () => {} };
  onTestFinished(() => end.writer());
  await staysThrough(id, {
    async breaks() {
      // One document of three, and after it one comment after the other.
      const loop = `echo '{"id": 1, "size": 10}' > "$0"; echo; while :; do echo '# more' >> "$0"; sleep 0.05; done`;
      const writer = spawn("sh", ["-c", loop, file], { stdio: ["ignore", "pipe", "ignore"] });
      end.writer = () => void writer.kill();
      await once(writer.stdout, "data");
    },
    mends() {
      end.writer();
      writeFileSync(file, content);
    },
    error: /boxes\.yaml is being written/,
  });
});

test("a folder that goes away, or is empty for a while, beside another one", async () => {
  const root = mkdtempSync(join(tmpdir(), "mainstay-half-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [folder, other] = [join(root, "disk"), join(root, "other")];
  for (const [path, ids] of [
    [folder, [1, 2]],
    [other, [3]],
  ] as const) {
    mkdirSync(path);
    for (const id of ids) writeFileSync(join(path, `${id}.json`), JSON.stringify(boxes(id)));
  }
  const file = (url: string) => ({ url, items: "$[*]", id: "$.id", type: "Box" });
  const id = await runs.apply({ file: [file(folder), file(other)] });
  expect(await runs.ran(id)).toMatchObject({ success_count: 3 });
  const before = await told(id);
  const away = join(root, "away");
  await staysThrough(id, {
    breaks: () => renameSync(folder, away),
    mends: () => renameSync(away, folder),
    error: /There is no folder .*disk/,
  });
  renameSync(folder, away);
  mkdirSync(folder);
  await seenLongAgo(id);
  const run = await runs.rerun(id);
  expect(run).toMatchObject({ status: "SUCCESS", success_count: 1 });
  expect(JSON.stringify(run.details.scrape_summary)).toContain("no file that is meant");
  expect(await told(id)).toEqual(before);
  // One file that is gone from a folder that is there is gone.
  rmSync(folder, { recursive: true });
  renameSync(away, folder);
  rmSync(join(folder, "2.json"));
  await runs.rerun(id);
  expect(
    (await told(id)).filter((row) => (row as { deleted_at?: unknown }).deleted_at),
  ).toMatchObject([{ name: "2.json" }]);
});

test("a connection to PostgreSQL that is ended in the middle of its rows", async () => {
  const cluster = inject("cluster");
  const relay = await listenForPostgres(cluster);
  const table = `breaking_${process.pid}`;
  const client = new pg.Client({ host: cluster.host, port: cluster.port, user: cluster.user });
  await client.connect();
  onTestFinished(async () => {
    await client.query(`drop table ${table}`);
    await client.end();
    await relay.close();
  });
  await client.query(`create table ${table} (is_broken boolean)`);
  await client.query(`insert into ${table} values (false)`);
  const id = await runs.apply({
    sql: [
      {
        connection: `postgres://${cluster.user}:sesame@127.0.0.1:${relay.port}/postgres?sslmode=disable`,
        // Rows that are large enough to be sent before the last one ends it.
        query: `select n as id, repeat('x', 50000) as said,
                       case when n = 20 and (select is_broken from ${table}) then pg_terminate_backend(pg_backend_pid()) end as ends
                  from generate_series(1, 20) n`,
        id: "$.id",
        type: "Row",
      },
    ],
  });
  expect(await runs.ran(id)).toMatchObject({ status: "SUCCESS", success_count: 20 });
  await staysThrough(id, {
    breaks: () => client.query(`update ${table} set is_broken = true`),
    mends: () => client.query(`update ${table} set is_broken = false`),
    error: /terminating connection|terminated|closed/,
  });
});
