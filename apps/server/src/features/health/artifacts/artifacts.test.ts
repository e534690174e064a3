import { createHash } from "node:crypto";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { artifactLimits } from "@mainstay/contract";
import { createLog } from "#platform/log.ts";
import type { Left } from "#platform/outbound/left-files.ts";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { createPerson, type TestPerson } from "../../../testing/people.ts";
import { retentionJobs } from "../clean-up.ts";
import { createArtifactStore, pieceBytes } from "./artifact-store.ts";
import { attachment } from "#platform/http/attachment.ts";

let app: TestApp;
let viewer: TestPerson;
beforeAll(async () => {
  app = await startTestApp();
  viewer = await createPerson(app, "viewer");
});
afterAll(() => app.stop());

let made = 0;

/** A check that leaves files. */
async function saveCheck(check: object, more: object = {}): Promise<string> {
  const name = `leaves-${++made}`;
  const reply = await app.admin.post(
    "/api/db/canaries",
    { name, spec: { schedule: "@never", exec: [{ name, ...check }], ...more } },
    { prefer: "return=representation" },
  );
  expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
  const row = await app.db.first<{ id: string }>(sql`select id from checks where name = ${name}`);
  return row!.id;
}

interface Listed {
  id: string;
  path: string;
  filename: string;
  size: number;
  checksum: string;
  content_type: string;
  expires_at: string;
}

/** Runs it and answers what is listed of the run. */
async function run(checkId: string) {
  const { status, json, text } = await app.admin.post(`/api/canary/run/check/${checkId}`);
  expect([status, text]).toEqual([200, expect.any(String)]);
  return { result: json, files: await list(checkId, json.start) };
}
async function list(checkId: string, time: string): Promise<Listed[]> {
  const reply = await viewer.get(`/api/artifacts/list/check/${checkId}/${time}`);
  expect(reply.status, reply.text).toBe(200);
  return reply.json as Listed[];
}
const cleanUp = () =>
  retentionJobs.find(({ name }) => name === "CleanupArtifacts")!.run(app.app.ctx);
const count = async (table: "artifacts" | "artifact_pieces", checkId: string) => {
  const where =
    table === "artifacts"
      ? sql`select count(*) from artifacts where check_id = ${checkId}`
      : sql`select count(*) from artifact_pieces p join artifacts a on a.id = p.artifact_id where a.check_id = ${checkId}`;
  return (await app.db.first<{ count: number }>(where))!.count;
};

const leaving = (files: Record<string, string>) => ({
  script: [
    "true",
    ...Object.entries(files).map(([path, text]) => `printf '${text}' > ${path}`),
  ].join("\n"),
  artifacts: [{ path: "*" }],
});

describe("a run that leaves files", () => {
  test("has them listed with it, for whoever may read the check", async () => {
    const check = await saveCheck(leaving({ "report.xml": "<a/>", "b.bin": String.raw`\0\1` }));
    const { result, files } = await run(check);
    expect(result.pass).toBe(true);
    expect(files).toMatchObject([
      { path: "b.bin", size: 2, content_type: "application/octet-stream" },
      {
        path: "report.xml",
        filename: "report.xml",
        size: 4,
        content_type: "text/plain; charset=utf-8",
        checksum: createHash("sha256").update("<a/>").digest("hex"),
      },
    ]);
    const days = (Date.parse(files[0]!.expires_at) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);

    const rows = await viewer.get(`/api/db/artifacts?check_id=eq.${check}&select=path&order=path`);
    expect(rows.json).toEqual([{ path: "b.bin" }, { path: "report.xml" }]);
    const runs = await viewer.get(`/api/db/checks_status_artifacts?check_id=eq.${check}`);
    expect(runs.json).toMatchObject([
      {
        check_status: true,
        artifacts: [
          { id: files[0]!.id, name: "b.bin", size: 2 },
          { id: files[1]!.id, name: "report.xml", size: 4 },
        ],
      },
    ]);
    const asked = await app.nobody.get(`/api/artifacts/list/check/${check}/${result.start}`);
    expect(asked.status).toBe(401);
    const write = await app.admin.post("/api/db/artifacts", { path: "x", filename: "x" });
    expect(write.status).toBeGreaterThanOrEqual(400);
  });

  test("by the clock as well, and a run without any says so by an empty list", async () => {
    const check = await saveCheck(leaving({ a: "x" }), { schedule: "@every 1h" });
    const rows = () =>
      app.db.rows<{ path: string | null }>(sql`
        select a.path from check_statuses s left join artifacts a on a.check_id = s.check_id and a.check_time = s.time
         where s.check_id = ${check}`);
    await expect.poll(rows, { timeout: 20_000 }).toEqual([{ path: "a" }]);
    const empty = await saveCheck({ script: "true", artifacts: [{ path: "*.png" }] });
    expect((await run(empty)).files).toEqual([]);
    const runs = await viewer.get(`/api/db/checks_status_artifacts?check_id=eq.${empty}`);
    expect(runs.json).toMatchObject([{ artifacts: [] }]);
  });

  test("does not fail for what is left out, and says what it was", async () => {
    const check = await saveCheck({
      script: "echo fine; ln -s /etc/passwd link; truncate -s 11M big; touch good",
      artifacts: [{ path: "*" }, { path: "/tmp/report.xml" }],
    });
    const { result, files } = await run(check);
    expect(files.map(({ path }) => path)).toEqual(["good"]);
    expect(result).toMatchObject({
      pass: true,
      message:
        "fine; not kept: big (larger than 10mb), link (a link, and links are not followed), " +
        "/tmp/report.xml (outside the script's own folder, which is its TMPDIR)",
    });
  });

  test("that is tried again has those of its last try", async () => {
    const check = await saveCheck({
      script: `touch "$(date +%s%N)"; exit 1`,
      artifacts: [{ path: "*" }],
      retries: { maxRetries: 2, delay: "1ms", interval: "1ms" },
    });
    expect((await run(check)).files.length).toBe(1);
    expect(await count("artifacts", check)).toBe(1);
  });

  test("that is only tried stores none, and says what it would", async () => {
    const before = await app.db.first(sql`select count(*) from artifacts`);
    const reply = await app.admin.post("/api/canary/run/document", {
      document: JSON.stringify({
        apiVersion: "canaries.flanksource.com/v1",
        kind: "Canary",
        metadata: { name: "dry" },
        spec: { exec: [{ name: "dry", ...leaving({ a: "x" }) }] },
      }),
    });
    expect(reply.json.results).toMatchObject([{ pass: true }]);
    expect(reply.json.results[0].message).toMatch(/^done in .+; would keep a \(1b\)$/);
    expect(await app.db.first(sql`select count(*) from artifacts`)).toEqual(before);
  });
});

describe("a file", () => {
  const large = pieceBytes * 2 + 17;

  test("comes back byte for byte, as nothing that a browser would open", async () => {
    const check = await saveCheck({
      script: `head -c ${large} /dev/urandom > big.html; sha256sum < big.html`,
      artifacts: [{ path: "*.html" }],
    });
    const { result, files } = await run(check);
    const [file] = files;
    expect(await count("artifact_pieces", check)).toBe(3);
    const reply = await fetch(`${app.address}/api/artifacts/download/${file!.id}`, {
      headers: { "x-session-token": viewer.token, "accept-encoding": "gzip, br" },
    });
    const bytes = Buffer.from(await reply.arrayBuffer());
    expect(bytes.length).toBe(large);
    const digest = createHash("sha256").update(bytes).digest("hex");
    expect(result.message).toContain(digest);
    expect(file!.checksum).toBe(digest);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-length": String(large),
      "content-disposition": `attachment; filename="big.html"; filename*=UTF-8''big.html`,
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringMatching(/^sandbox; default-src 'none'/),
      "cross-origin-resource-policy": "same-origin",
    });
    expect(reply.headers.get("content-encoding")).toBeNull();
    const head = await viewer.request("HEAD", `/api/artifacts/download/${file!.id}`);
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(large)]);
    expect((await app.nobody.get(`/api/artifacts/download/${file!.id}`)).status).toBe(401);
  });

  test("without anything in it is one, too", async () => {
    const { files } = await run(await saveCheck(leaving({ empty: "" })));
    const reply = await viewer.get(`/api/artifacts/download/${files[0]!.id}`);
    expect([reply.status, reply.text, files[0]!.size]).toEqual([200, "", 0]);
  });

  test("that is told of and whose bytes have not come is none", async () => {
    const check = await saveCheck(leaving({}));
    const row = await app.db.first<{ id: string }>(sql`
      insert into artifacts (check_id, check_time, path, filename, size, checksum)
      values (${check}, now(), 'a', 'a', 3, 'x') returning id`);
    const reply = await viewer.get(`/api/artifacts/download/${row!.id}`);
    expect([reply.status, reply.json.error]).toEqual([
      404,
      "The bytes of this file are not on this server.",
    ]);
  });

  test("that is cut off while it is read ends the answer, which is not taken for whole", async () => {
    const check = await saveCheck({
      script: `head -c ${pieceBytes * 12} /dev/zero > a`,
      artifacts: [{ path: "a" }],
    });
    const { files } = await run(check);
    await app.db.run(
      sql`delete from artifact_pieces where artifact_id = ${files[0]!.id} and position = 5`,
    );
    const reply = fetch(`${app.address}/api/artifacts/download/${files[0]!.id}`, {
      headers: { "x-session-token": viewer.token },
    });
    await expect(reply.then((answer) => answer.arrayBuffer())).rejects.toThrow();
  });

  test.each([
    ["report.xml", `filename="report.xml"; filename*=UTF-8''report.xml`],
    [
      'a"b\r\nset-cookie: x',
      `filename="a_b__set-cookie: x"; filename*=UTF-8''a%22b__set-cookie%3A%20x`,
    ],
    ["é.txt", `filename="_.txt"; filename*=UTF-8''%C3%A9.txt`],
    ["../../x", `filename="__.._x"; filename*=UTF-8''__.._x`],
    ["gpj\u202Eexe", `filename="gpj_exe"; filename*=UTF-8''gpj_exe`],
    [".bashrc", `filename="_bashrc"; filename*=UTF-8''_bashrc`],
    ["it's (1)*", `filename="it's (1)*"; filename*=UTF-8''it%27s%20%281%29%2A`],
    ["", `filename="file"; filename*=UTF-8''file`],
  ])("called %j is saved under a name that misleads nobody", (name, disposition) => {
    expect(attachment(name)).toBe(`attachment; ${disposition}`);
  });
});

describe("files go", () => {
  test("when their time is over: at once for everybody, and their bytes soon after", async () => {
    const check = await saveCheck(leaving({ a: "x" }));
    const { result, files } = await run(check);
    await app.db.run(sql`update artifacts set expires_at = now() where check_id = ${check}`);
    expect(await list(check, result.start)).toEqual([]);
    expect((await viewer.get(`/api/artifacts/download/${files[0]!.id}`)).status).toBe(404);
    expect((await viewer.get(`/api/db/artifacts?check_id=eq.${check}`)).json).toEqual([]);
    const runs = await viewer.get(`/api/db/checks_status_artifacts?check_id=eq.${check}`);
    expect(runs.json).toMatchObject([{ artifacts: [] }]);
    expect(await count("artifact_pieces", check)).toBe(1);
    await cleanUp();
    expect(await count("artifacts", check)).toBe(0);
    expect(
      await app.db.rows(
        sql`select 1 from artifact_pieces where artifact_id = ${files[0]!.id}::uuid`,
      ),
    ).toEqual([]);
  });

  test("with their check", async () => {
    const check = await saveCheck(leaving({ a: "x" }));
    const { files } = await run(check);
    const canary = sql`select canary_id from checks where id = ${check}`;
    const row = await app.db.first<{ canary_id: string }>(canary);
    await app.admin.patch(`/api/db/canaries?id=eq.${row!.canary_id}`, { deleted_at: "now()" });
    expect((await viewer.get(`/api/artifacts/download/${files[0]!.id}`)).status).toBe(404);
    await app.db.run(sql`delete from checks where id = ${check}`);
    expect(
      await app.db.rows(
        sql`select 1 from artifact_pieces where artifact_id = ${files[0]!.id}::uuid`,
      ),
    ).toEqual([]);
  });

  test("when the result they belong to never came, but not before it may", async () => {
    const check = await saveCheck(leaving({ a: "x" }));
    const { files } = await run(check);
    const lost = store.begin({ checkId: check, time: new Date() });
    await lost.keep(all(file("b", "y")), around);
    await cleanUp();
    expect(await count("artifacts", check)).toBe(2);
    await app.db.run(
      sql`update artifacts set created_at = now() - interval '61 minutes' where check_id = ${check}`,
    );
    await cleanUp();
    const left = await viewer.get(`/api/db/artifacts?check_id=eq.${check}&select=id`);
    expect(left.json).toEqual([{ id: files[0]!.id }]);
  });

  test("the oldest of a check, when there are too many of it", async () => {
    const check = await saveCheck(leaving({}));
    await app.db.run(sql`
      insert into artifacts (check_id, check_time, path, filename, size, checksum)
      select ${check}, now() - n * interval '1 minute', n::text, 'f', 1000, ''
        from generate_series(1, ${artifactLimits.checkFiles}) n`);
    await store.begin({ checkId: check, time: new Date() }).keep(all(file("new", "x")), around);
    expect(await count("artifacts", check)).toBe(artifactLimits.checkFiles);
    const oldest = sql`select path from artifacts where check_id = ${check} order by check_time limit 1`;
    expect(await app.db.first(oldest)).toEqual({ path: String(artifactLimits.checkFiles - 1) });

    await app.db.run(
      sql`update artifacts set size = ${artifactLimits.checkBytes / 2} where check_id = ${check} and path = '3'`,
    );
    await app.db.run(
      sql`update artifacts set size = ${artifactLimits.checkBytes / 2} where check_id = ${check} and path = '7'`,
    );
    await store.begin({ checkId: check, time: new Date() }).keep(all(file("newer", "x")), around);
    const left = await app.db.rows<{ path: string }>(
      sql`select path from artifacts where check_id = ${check} order by check_time desc`,
    );
    expect(left.map(({ path }) => path)).toEqual(["newer", "new", "1", "2", "3", "4", "5", "6"]);
  });
});

const around = { signal: new AbortController().signal };
const silent = createLog("silent");
const storeWith = (config: { artifactStore?: number } = {}) =>
  createArtifactStore({
    db: app.db,
    log: silent,
    config: { artifactRetention: 3_600_000, artifactStore: 1_000_000_000, ...config },
  });
let store: ReturnType<typeof storeWith>;
beforeAll(() => {
  store = storeWith();
});
const file = (path: string, text: string): Left => ({
  path,
  read: () => Promise.resolve(Buffer.from(text)),
});
async function* all(...files: Left[]): AsyncGenerator<Left> {
  yield* files;
}

describe("the store", () => {
  const keepIn = async (used: typeof store, checkId: string) => {
    const artifacts = used.begin({ checkId, time: new Date() });
    await artifacts.keep(all(file("a", "12345"), file("b", "6")), around);
    return artifacts.note();
  };

  test("takes what the server's settings leave room for, and says when it is full", async () => {
    const check = await saveCheck(leaving({}));
    const { bytes } = (await app.db.first<{ bytes: number }>(
      sql`select coalesce(sum(size), 0)::bigint as bytes from artifacts`,
    ))!;
    expect(await keepIn(storeWith({ artifactStore: bytes + 5 }), check)).toMatch(
      /^not kept: b \(the server keeps .+ of files, and they are used up\)$/,
    );
    expect(await count("artifacts", check)).toBe(1);
    expect(await keepIn(storeWith({ artifactStore: 0 }), check)).toMatch(
      /^not kept: a \(this server keeps no files: ARTIFACT_STORE is 0\), b /,
    );
  });

  test("takes nothing for a check that has gone", async () => {
    const check = await saveCheck(leaving({}));
    await app.db.run(sql`update checks set deleted_at = now() where id = ${check}`);
    expect(await keepIn(store, check)).toMatch(/^not kept: a \(the check is there no more\), b /);
  });

  test("has a file whole or not at all, wherever it is interrupted", async () => {
    const check = await saveCheck(leaving({}));
    await app.owner.raw(
      `create function refuse_third() returns trigger language plpgsql as $$ begin
         if new.position = 2 then raise exception 'the disk is full'; end if; return new; end $$;
       create trigger refuse_third before insert on artifact_pieces for each row execute function refuse_third()`,
    );
    try {
      const artifacts = store.begin({ checkId: check, time: new Date() });
      await artifacts.keep(all(file("a", "x".repeat(pieceBytes * 2 + 1))), around);
      expect(artifacts.note()).toBe("files: the server could not keep them; its log says why");
      expect(await count("artifacts", check)).toBe(0);
    } finally {
      await app.owner.raw("drop function refuse_third cascade");
    }
  });
});
