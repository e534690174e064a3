import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../testing/app.ts";
import { type CommandHost, startCommandHost } from "./testing/start-command-host.ts";
import { makeHome } from "./testing/mainstay.ts";

/** Documents by the command line: all of them or none, from one file or many. */

const home = makeHome();
let app: TestApp;
let host: CommandHost;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  host = startCommandHost();
  app = await startTestApp({ role: "api" });
  const { json } = await app.admin.post("/api/auth/tokens", { name: "command line" });
  env = { ...home.env, MAINSTAY_SERVER: app.address, MAINSTAY_TOKEN: json.access_token };
});
afterAll(async () => {
  await host.end();
  await app.stop();
  home.remove();
});

function write(name: string, text: string): string {
  const file = join(home.directory, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const canary = (name: string, more: { url?: string; labels?: string; password?: string } = {}) =>
  `apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata:
  name: ${name}
  labels: { ${more.labels ?? ""} }
spec:
  http:
    - name: front
      url: ${more.url ?? "https://example.org"}
${more.password ? `      password: ${more.password}\n` : ""}`;

const run = (...words: string[]) => host.run(words, env);
const names = async () =>
  (
    await app.db.rows<{ name: string }>(
      sql`select name from canaries where deleted_at is null order by name`,
    )
  ).map(({ name }) => name);

test("ten files with a bad one in the middle store none, whether it is bad here or only there", async () => {
  const file = (index: number, text: string) => write(`ten/${index}.yaml`, text);
  for (let index = 0; index < 10; index++) file(index, canary(`ten-${index}`));
  const folder = join(home.directory, "ten");

  file(4, canary("ten-4", { url: "nowhere" }));
  const here = await run("apply", "-f", folder);
  expect([here.code, here.stdout]).toEqual([2, ""]);
  expect(here.stderr).toMatch(new RegExp(`^${folder}/4.yaml:9:12: error: spec.http.0.url: `));
  expect(await names()).toEqual([]);

  file(4, canary("ten-4", { password: '"********"' }));
  const there = await run("apply", "-f", folder);
  expect([there.code, there.stdout]).toEqual([2, ""]);
  expect(there.stderr).toMatch(
    new RegExp(`^${folder}/4.yaml:10:17: error: spec.http.0.password: There is no stored value`),
  );
  expect(await names()).toEqual([]);

  // Files may end in whatever way, and be JSON.
  file(4, `%YAML 1.2\n---\n${canary("ten-4").trimEnd()}`);
  file(5, `${canary("ten-5")}---\n# nothing more\n`);
  write(
    "ten/6.yaml",
    JSON.stringify({
      apiVersion: "canaries.flanksource.com/v1",
      kind: "Canary",
      metadata: { name: "ten-6" },
      spec: { tcp: [] },
    }),
  );
  const all = await run("apply", "-f", folder);
  expect([all.code, all.stderr]).toEqual([0, ""]);
  expect(all.stdout.split("\n")).toEqual(
    Array.from({ length: 10 }, (_, index) => `canary default/ten-${index} created`),
  );
  expect(await names()).toHaveLength(10);
  const gone = await run("delete", "-f", folder);
  expect([gone.code, gone.stdout.split("\n")]).toEqual([
    0,
    Array.from({ length: 10 }, (_, index) => `canary default/ten-${index} deleted`),
  ]);
  expect(await names()).toEqual([]);
});

test("what no document may say is named with its place, and nothing is stored", async () => {
  const half = "{ valueFrom: { secretKeyRef: { key: token } } }";
  const bad = canary("words", { password: half }).replace(
    "      url:",
    "      severity: urgent\n      transformDeleteStrategy: Forget\n      url:",
  );
  const connection = `apiVersion: mission-control.flanksource.com/v1\nkind: Connection\nmetadata: { name: half }\nspec: { type: http, url: "https://example.org", password: ${half} }\n`;
  const file = write("words.yaml", `${bad}---\n${connection}`);
  const { code, stdout, stderr } = await run("apply", "-f", file, "--dry-run");
  expect([code, stdout]).toEqual([2, ""]);
  const missing = '"name" is missing: a value in a Secret needs its name and its key.';
  expect(stderr.split("\n").toSorted()).toEqual([
    `${file}:10:32: error: spec.http.0.transformDeleteStrategy: "Forget" is no strategy. Known are MarkHealthy, MarkUnhealthy, Ignore.`,
    `${file}:12:46: error: spec.http.0.password.valueFrom.secretKeyRef.name: ${missing}`,
    `${file}:17:88: error: spec.password.valueFrom.secretKeyRef.name: ${missing}`,
    `${file}:9:17: error: spec.http.0.severity: "urgent" is no severity. Known are critical, blocker, high, medium, warning, low, info.`,
  ]);
  expect(await names()).toEqual([]);
});

test("a dry run and a diff tell what becomes of the good documents beside bad ones", async () => {
  const good = write("half/a.yaml", canary("half-a"));
  const here = write("half/b.yaml", canary("half-b", { url: "nowhere" }));
  const there = write("half/c.yaml", canary("half-c", { password: '"********"' }));
  const dry = await run("apply", "--dry-run", "-f", good, here, there);
  expect([dry.code, dry.stdout]).toEqual([
    2,
    expect.stringMatching(/^--- \/dev\/null[^]*\ncanary default\/half-a created \(dry run\)$/),
  ]);
  expect(dry.stderr.split("\n")).toEqual([
    expect.stringMatching(new RegExp(`^${here}:9:12: error: spec.http.0.url: `)),
    expect.stringMatching(new RegExp(`^${there}:10:17: error: spec.http.0.password: `)),
  ]);
  const diff = await run("diff", "-f", good, here);
  expect([diff.code, diff.stdout]).toEqual([2, expect.stringContaining("name: half-a")]);
  expect(await names()).toEqual([]);
});

test("two files that claim one name are refused with both places", async () => {
  const first = write("twins/a.yaml", canary("twin"));
  const second = write("twins/b.yaml", `# the other\n${canary("twin")}`);
  const { code, stderr } = await run("apply", "-f", first, second);
  expect(code).toBe(2);
  expect(stderr).toBe(
    `${second}:2:1: error: metadata.name: "default/twin" is already the document at ${first}:1.`,
  );
});

test("diff: 0 when nothing differs, 1 with what does, 2 when that cannot be told", async () => {
  const file = write("diff.yaml", canary("d-1", { password: "swordfish-one" }));
  const fresh = await run("diff", "-f", file);
  expect([fresh.code, fresh.stderr]).toEqual([1, ""]);
  expect(fresh.stdout).toContain("--- /dev/null\n+++ files: canary default/d-1");
  expect(await names()).toEqual([]);

  await run("apply", "-f", file);
  const secret = "# spec.http[name=front].password: a secret is written";
  const same = await run("diff", "-f", file);
  // Whether it is the stored one is told to nobody.
  expect([same.code, same.stdout]).toEqual([1, expect.stringContaining(secret)]);
  write("diff.yaml", canary("d-1", { password: '"********"' }));
  expect(await run("diff", "-f", file)).toEqual({ code: 0, stdout: "", stderr: "" });

  write("diff.yaml", canary("d-1", { password: "swordfish-two", url: "https://example.org/b" }));
  const changed = await run("diff", "-f", file);
  expect(changed.code).toBe(1);
  expect(changed.stdout).toContain("--- server: canary default/d-1\n+++ files: canary default/d-1");
  expect(changed.stdout).toContain(
    "-      url: https://example.org\n+      url: https://example.org/b",
  );
  expect(changed.stdout).toContain(secret);
  expect(changed.stdout).not.toContain("swordfish");

  const bad = await run("diff", "-f", write("bad.yaml", canary("d-2", { url: "nowhere" })));
  expect([bad.code, bad.stdout]).toEqual([2, ""]);
  const away = await host.run(["diff", "-f", file, "--server", "http://127.0.0.1:1"], env);
  expect([away.code, away.stderr]).toEqual([2, expect.stringMatching(/cannot be reached/)]);
  await run("delete", "canary", "d-1");
});

test("apply says where a document is kept that another place has", async () => {
  const { json } = await app.admin.post(
    "/api/db/canaries",
    { name: "held", spec: { tcp: [] } },
    { prefer: "return=representation" },
  );
  const exported = await run("get", "canary", "held", "-o", "yaml");
  const file = write("held.yaml", exported.stdout);
  const refused = await run("apply", "-f", file);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(
      new RegExp(
        `^${file}:6:\\d+: error: metadata.uid: The canary default/held is kept in the console`,
      ),
    ),
  ]);
  expect((await run("apply", "-f", file, "--source", "UI")).stdout).toBe(
    "canary default/held unchanged",
  );
  // What could mean several is named by its id.
  const deleted = await run("delete", "canary", json[0].id as string);
  expect([deleted.code, await names()]).toEqual([0, []]);
});

test("apply --prune deletes what the selector selects and no file holds; a dry run and a diff say it before", async () => {
  const both = write(
    "prune.yaml",
    `${canary("p-1", { labels: "team: x" })}---\n${canary("p-2", { labels: "team: x" })}`,
  );
  await run("apply", "-f", both, "--source", "ci");
  await run("apply", "-f", write("other.yaml", canary("p-3", { labels: "team: x" })));
  const one = write("prune.yaml", canary("p-1", { labels: "team: x" }));
  const prune = ["-f", one, "--source", "ci", "--prune", "-l", "team=x"];

  const dry = (await run("apply", ...prune, "--dry-run")).stdout;
  expect(dry).toMatch(
    /^canary default\/p-1 unchanged \(dry run\)\n--- server: canary default\/p-2\n[^]*\n-  name: p-2\n[^]*\ncanary default\/p-2 deleted \(dry run\)$/,
  );
  const diff = await run("diff", ...prune);
  expect([diff.code, diff.stdout]).toEqual([
    1,
    expect.stringContaining("--- server: canary default/p-2\n+++ /dev/null"),
  ]);
  expect(await names()).toEqual(["p-1", "p-2", "p-3"]);
  expect((await run("apply", ...prune)).stdout).toBe(
    "canary default/p-1 unchanged\ncanary default/p-2 deleted",
  );
  expect(await names()).toEqual(["p-1", "p-3"]);
  const half = await run("apply", "-f", one, "--prune");
  expect([half.code, half.stderr]).toEqual([
    1,
    expect.stringMatching(/^--prune and --labels go together/),
  ]);
});

test("get -o yaml prints every text as it was written, in portions of an answer, each marked off", async () => {
  const texts = Array.from({ length: 501 }, (_, at) => `# Of ${at}.\n${canary(`many-${at}`)}`);
  // Nobody ends his last line.
  texts[0] = texts[0]!.trimEnd();
  const asked: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url!, "http://server");
    asked.push(searchParams);
    const [from, count] = ["offset", "limit"].map((name) => Number(searchParams.get(name)));
    const documents = texts.slice(from, from! + count!).map((text, at) => ({
      document: {
        apiVersion: "v1",
        kind: "Canary",
        metadata: { name: `many-${from! + at}` },
        spec: {},
      },
      ...(searchParams.get("text") === "true" && { text }),
    }));
    response.setHeader("content-type", "application/json").end(JSON.stringify({ documents }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { stdout } = await host.run(["get", "canaries", "-o", "yaml"], {
    ...env,
    MAINSTAY_SERVER: `http://127.0.0.1:${port}`,
  });
  server.close();
  expect(`${stdout}\n`).toBe(texts.map((text) => `${text.trimEnd()}\n`).join("---\n"));
  expect(asked.map((query) => query.get("offset"))).toEqual(["0", "500"]);
});

test("get marks what has drifted from its source", async () => {
  await run(
    "apply",
    "-f",
    write("moved.yaml", `${canary("moved")}---\n${canary("still")}`),
    "--source",
    "ci",
  );
  const { status } = await app.admin.patch("/api/db/canaries?name=eq.moved", {
    source: "ci",
    spec: { http: [{ name: "front", url: "https://example.com" }] },
  });
  expect(status).toBe(204);
  const asked: string[] = [];
  const between = createServer((request, response) => {
    asked.push(request.url!);
    const headers = { authorization: request.headers.authorization! };
    void fetch(`${app.address}${request.url}`, { headers }).then(async (reply) =>
      response.setHeader("content-type", "application/json").end(await reply.text()),
    );
  }).listen(0, "127.0.0.1");
  await once(between, "listening");
  const { port } = between.address() as AddressInfo;
  const { stdout } = await host.run(["get", "canaries", "--source", "ci"], {
    ...env,
    MAINSTAY_SERVER: `http://127.0.0.1:${port}`,
  });
  between.close();
  expect(asked).toHaveLength(1);
  const sources = stdout
    .split("\n")
    .flatMap((line) => /(moved|still) +(ci.*)$/.exec(line)?.slice(1) ?? []);
  expect(sources).toEqual(["moved", "ci (drifted)", "still", "ci"]);
  await run("delete", "-f", join(home.directory, "moved.yaml"), "--source", "ci");
});

test("get finds by labels, namespace and source; an unknown kind is named with what there is", async () => {
  const list = async (...words: string[]) => (await run("get", "canaries", ...words)).stdout;
  expect(await list("-l", "team=x", "--source", "ci")).toMatch(
    /^NAMESPACE\s+NAME\s+SCHEDULE\s+SOURCE\ndefault\s+p-1\s+ci$/,
  );
  expect(JSON.parse(await list("-n", "nowhere", "-o", "json"))).toEqual([]);
  const kettle = await run("get", "kettles");
  expect([kettle.code, kettle.stderr]).toEqual([
    1,
    'There is no kind of documents called "kettles". There is: canaries, connections, logging-backends, scrapers, topologies, checks.',
  ]);
});

test("delete names what uses a connection and deletes nothing, unless that goes as well or it is said to", async () => {
  const connection = (name: string) =>
    `apiVersion: mission-control.flanksource.com/v1\nkind: Connection\nmetadata: { name: ${name} }\nspec: { type: http, url: "https://example.org" }\n`;
  const user = canary("uses-one").replace(
    "url: https://example.org",
    "connection: connection://one",
  );
  const before = await names();
  const both = write("both.yaml", `${connection("one")}---\n${user}`);
  await run("apply", "-f", both);
  await run("apply", "-f", write("two.yaml", connection("two")));
  const kept = async () =>
    (await app.db.rows(sql`select from connections where deleted_at is null`)).length;

  const refused = await run("delete", "connection", "one");
  expect([refused.code, refused.stdout, await kept()]).toEqual([1, "", 2]);
  expect(refused.stderr).toMatch(
    /^connection default\/one is used by:\n {2}canary default\/uses-one: http\[front\]\.connection\nNothing was deleted\..* --yes /,
  );
  expect(await run("delete", "connection", "two")).toMatchObject({
    code: 0,
    stdout: "connection default/two deleted",
  });
  expect((await run("delete", "connection", "one", "--yes")).code).toBe(0);
  expect([await kept(), await names()]).toEqual([0, [...before, "uses-one"]]);
  await run("apply", "-f", both);
  expect(await run("delete", "-f", both)).toMatchObject({ code: 0, stderr: "" });
  expect([await kept(), await names()]).toEqual([0, before]);
});

test("apply --prune names what uses a connection, and prunes it only when that is said", async () => {
  const connection = (name: string) =>
    `apiVersion: mission-control.flanksource.com/v1\nkind: Connection\nmetadata: { name: ${name}, labels: { team: p } }\nspec: { type: http, url: "https://example.org" }\n`;
  const user = canary("uses-gone", { labels: "team: p" }).replace(
    "url: https://example.org",
    "connection: connection://gone",
  );
  const file = write("pruned.yaml", [connection("stays"), connection("gone"), user].join("---\n"));
  const apply = (...more: string[]) => run("apply", "-f", file, "--source", "p", ...more);
  const prune = ["--prune", "-l", "team=p"];
  await apply();
  write("pruned.yaml", [connection("stays"), user].join("---\n"));
  const refused = await apply(...prune);
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toMatch(
    /^connection default\/gone is used by:\n {2}canary default\/uses-gone: http\[front\]\.connection\nNothing was deleted\..* --yes /,
  );
  expect((await apply(...prune, "--yes")).stdout).toContain("connection default/gone deleted");

  // What uses it goes as well, or names another.
  await apply("--prune", "-l", "team=p", "-f", write("more.yaml", connection("gone")));
  write("pruned.yaml", [connection("stays"), user.replace("//gone", "//stays")].join("---\n"));
  expect(await apply(...prune)).toMatchObject({ code: 0, stderr: "" });
});
