// Takes long: most commands are processes that start.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readZip } from "#features/snapshots/testing/read-zip.ts";
import { startTestApp, type TestApp } from "../testing/app.ts";
import { serverVersion } from "../version.ts";
import { type CommandHost, startCommandHost } from "./testing/start-command-host.ts";
import { mainstay, makeHome } from "./testing/mainstay.ts";

const home = makeHome();
const host = startCommandHost();
let target: Server;
let url: string;

beforeAll(async () => {
  target = createServer((request, reply) => {
    reply.statusCode = request.url === "/good" ? 200 : 500;
    reply.end("<b>answer</b>");
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await host.end();
  target.close();
  home.remove();
});

function write(name: string, text: string): string {
  const file = join(home.directory, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const canary = (name: string, path: string, more = "") => `apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata:
  name: ${name}
  annotations: { team: blue }
spec:
  interval: 30
${more}  http:
    - name: ${name} answers
      url: ${url}${path}
`;

describe("run", () => {
  test("all pass: 0, and a table", async () => {
    const file = write("good.yaml", canary("good", "/good"));
    const { code, stdout, stderr } = await mainstay(["run", file], home.env);
    expect([code, stderr]).toEqual([0, ""]);
    const [head, row, ...rest] = stdout.split("\n");
    expect(head).toMatch(/^RESULT\s+CANARY\s+TYPE\s+NAME\s+TIME\s+MESSAGE$/);
    expect(row).toMatch(/^passed\s+good\s+http\s+good answers\s+\d+ ms/);
    expect(rest).toEqual([]);
  });

  test("scripts, values of the environment and connections of the same files", async () => {
    const file = write(
      "connected.yaml",
      `apiVersion: mission-control.flanksource.com/v1
kind: Connection
metadata: { name: target, namespace: default }
spec: { type: http, url: "${url}/$(username)", username: good }
---
apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata: { name: connected, namespace: default }
spec:
  http:
    - name: found
      connection: connection://target
      test: { expr: "code == 200" }
      display: { template: "{{ .code }} of {{ .canary.name }}" }
    - name: lost
      connection: connection://nowhere
    - name: valued
      url: "${url}/{{ .WHERE }}"
      env: [{ name: WHERE, valueFrom: { configMapKeyRef: { name: places, key: path } } }]
`,
    );
    const { code, stdout } = await host.run(["run", file, "-o", "json"], {
      ...home.env,
      MAINSTAY_CONFIGMAP__DEFAULT__PLACES__PATH: "good",
    });
    expect(JSON.parse(stdout)).toMatchObject([
      { name: "found", pass: true, message: "200 of connected" },
      { name: "lost", pass: false, error: expect.stringContaining("connection://nowhere") },
      { name: "valued", pass: true },
    ]);
    expect(code).toBe(1);
  });

  test("a placeholder is refused with its place, because only the server knows what it stands for", async () => {
    const file = write(
      "placeholder.yaml",
      `${canary("good", "/good")}      password: "********"\n`,
    );
    const { code, stdout, stderr } = await host.run(["run", file], home.env);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      /placeholder\.yaml:11:17: error: spec\.http\.0\.password: "\*{8}" stands for a value that only the server knows/,
    );
  });

  test("one fails: 1, with JSON and a JUnit file; a whole folder is run", async () => {
    write("folder/a.yaml", canary("good", "/good"));
    write("folder/deep/b.yml", canary("bad", "/bad"));
    write("folder/readme.txt", "not a document");
    const report = join(home.directory, "report.xml");
    const { code, stdout } = await host.run(
      ["run", join(home.directory, "folder"), "-o", "json", "--junit-file", report],
      home.env,
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { canary: "good", type: "http", pass: true },
      { canary: "bad", type: "http", pass: false, error: expect.stringContaining("500") },
    ]);
    const xml = readFileSync(report, "utf8");
    expect(xml).toContain('<testsuite name="good" tests="1" failures="0"');
    expect(xml).toContain('<testsuite name="bad" tests="1" failures="1"');
  });

  test("JUnit on the output, from standard input", async () => {
    const { code, stdout } = await mainstay(
      ["run", "-", "-o", "junit"],
      home.env,
      canary("bad", "/bad"),
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites>/);
    expect(stdout).toContain('<failure message="');
  });

  test("a bad document: 2, with its place, and nothing is run", async () => {
    const file = write("bad.yaml", canary("bad", "/good", "  timeZone: Moon/Crater\n"));
    const { code, stdout, stderr } = await host.run(["run", file], home.env);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(new RegExp(`^${file}:8:\\d+: error: spec\\.timeZone: `));
  });
});

test("a file that is not there, a server that is not there, a setting that is wrong, an odd word: one line and 1", async () => {
  const gone = join(home.directory, "gone.yaml");
  const [noFile, noServer, noAnswer, badSetting, oddWord] = await Promise.all([
    mainstay(["run", gone], home.env),
    mainstay(["get", "canaries"], home.env),
    mainstay(["get", "canaries", "--server", "http://127.0.0.1:1", "--token", "x"], home.env),
    mainstay(["serve", "--port", "many"], home.env),
    mainstay(["frobnicate"], home.env),
  ]);
  expect(noFile).toEqual({
    code: 1,
    stdout: "",
    stderr: `${gone} does not exist or cannot be read.`,
  });
  expect(noServer).toEqual({
    code: 1,
    stdout: "",
    stderr: `No running server was found in ${home.directory}/data. Start one (mainstay serve), or name one with --server and sign in with mainstay login.`,
  });
  expect(noAnswer).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1 cannot be reached: .*$/),
  });
  expect(badSetting).toEqual({
    code: 1,
    stdout: "",
    stderr: '--port must be a whole number (it is "many")',
  });
  expect(oddWord.code).toBe(1);
  expect(oddWord.stderr).not.toMatch(/^\s+at /m);
});

describe("against a server", () => {
  let app: TestApp;
  let env: NodeJS.ProcessEnv;
  const run: CommandHost["run"] = (args, its) => host.run(args, its);
  const count = async () =>
    (await app.db.first<{ n: number }>(
      sql`select count(*) as n from canaries where deleted_at is null`,
    ))!.n;

  beforeAll(async () => {
    app = await startTestApp({ role: "api" });
    env = { ...home.env, MAINSTAY_SERVER: app.address };
  });
  afterAll(async () => {
    await app.stop();
  });

  test("login refuses a wrong password and remembers a good one, readable by its owner only", async () => {
    const wrong = await mainstay(
      ["login", "--email", "admin@local", "--password", "wrong-password"],
      env,
    );
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/^The e-mail address or the password is wrong/);
    const nobody = await mainstay(["get", "canaries"], env);
    expect(nobody.stderr).toBe(
      `No session for ${app.address}. Sign in first: mainstay login --server ${app.address} --email YOU`,
    );
    const empty = await mainstay(["login", "--email", "admin@local"], env);
    expect([empty.code, empty.stderr.trim()]).toEqual([
      1,
      expect.stringContaining("No password was given."),
    ]);

    const good = await mainstay(
      ["login", "--email", "admin@local"],
      env,
      "correct-horse-battery\n",
    );
    expect(good).toMatchObject({
      code: 0,
      stdout: `Signed in to ${app.address} as admin@local.`,
    });
    const file = join(home.directory, "config/mainstay/login.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("apply creates, leaves alone, updates; get shows it; what get prints can be applied; delete removes", async () => {
    const text = (path: string) => `# Asks the shop.\n${canary("one", path)}  # The end.\n`;
    const file = write("one.yaml", text("/good"));
    const apply = async (...files: string[]) => (await run(["apply", "-f", ...files], env)).stdout;
    expect(await apply(file)).toBe("canary default/one created");
    expect(await apply(file)).toBe("canary default/one unchanged");
    write("one.yaml", text("/bad"));
    expect(await apply(file)).toBe("canary default/one updated");

    const [table, yaml, json, checks, found, wrong] = await Promise.all([
      run(["get", "canaries"], env),
      run(["get", "canary", "one", "-o", "yaml"], env),
      run(["get", "canaries", "-n", "default", "-o", "json"], env),
      run(["get", "checks"], env),
      run(["search", "--kind", "checks", "type=http", "answers"], env),
      run(["search", "type=pod name= | x"], env),
    ]);
    expect(table.stdout).toMatch(
      /^NAMESPACE\s+NAME\s+SCHEDULE\s+SOURCE\ndefault\s+one\s+@every 30s\s+a file, with mainstay apply$/,
    );
    // As it was written, with the id that the server gave it.
    expect(yaml.stdout.replace(/\n {2}uid: \S+/, "")).toBe(text("/bad").trimEnd());
    expect(JSON.parse(json.stdout)).toMatchObject([
      { kind: "Canary", metadata: { name: "one", annotations: { team: "blue" } } },
    ]);
    expect(checks.stdout).toMatch(/default\/one\s+http\s+one answers\s+not run yet/);
    expect(found.stdout).toMatch(
      /^NAMESPACE\s+NAME\s+TYPE\s+HEALTH\s+ID\ndefault\s+one answers\s+http\s+unknown/,
    );
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      `type=pod name= | x\n               ^ expected a value after "name=" instead of "| x"`,
    ]);
    expect(await apply(write("again.yaml", yaml.stdout))).toBe("canary default/one unchanged");
    expect(await count()).toBe(1);

    const gone = await run(["delete", "canary", "one"], env);
    expect(gone).toEqual({ code: 0, stdout: "canary default/one deleted", stderr: "" });
    const twice = await run(["delete", "-f", file], env);
    expect(twice).toEqual({ code: 1, stdout: "", stderr: "canary default/one was not found" });
    expect(await count()).toBe(0);
  });

  test("a snapshot is a file when it is whole, and none when it is refused", async () => {
    const made = await app.db.first<{ id: string }>(sql`
      insert into components (external_id, name, status, log_selectors)
      values ('shop', 'shop', 'healthy', '[{"labels": {"app": "shop"}}]') returning id`);
    const file = join(home.directory, "shop.zip");
    const asJson = ["--log-format", "json"];
    const fetched = await run(["snapshot", "topology", made!.id, "-o", file, ...asJson], env);
    expect(fetched).toEqual({ code: 0, stdout: file, stderr: "" });
    const files = await readZip(readFileSync(file));
    expect(files["components.json"]).toContain('"name":"shop"');
    const lines = Object.keys(files).find((name) => name.startsWith("logs-"));
    expect(lines).toMatch(/^logs-component-shop-[0-9a-f]{8}\.json$/);
    const [again, unknown, late] = await Promise.all([
      run(["snapshot", "topology", made!.id, "-o", file], env),
      run(["snapshot", "incident", made!.id, "-o", `${file}.2`], env),
      run(["snapshot", "topology", made!.id, "--start", "x", "-o", `${file}.3`], env),
    ]);
    expect([again.code, again.stderr]).toEqual([1, `${file} is there already.`]);
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      'There are no snapshots of "incident": there are those of topology and config.',
    ]);
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('"x" is not a time')]);
    expect(readdirSync(home.directory).filter((name) => name.startsWith("shop.zip"))).toEqual([
      "shop.zip",
    ]);
  });

  test("a bad document among good ones: 2, its place, and nothing is saved", async () => {
    const good = write("mixed/good.yaml", canary("good", "/good"));
    const bad = write("mixed/worse.yaml", canary("worse", "/good", "  schedule: never\n"));
    const { code, stdout, stderr } = await mainstay(["apply", "-f", good, bad], env);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(new RegExp(`^${bad}:8:\\d+: error: spec.schedule: `));
    expect(await count()).toBe(0);
  });

  test("what only the server sees is said with the file's name as well", async () => {
    const file = write("twice.yaml", `${canary("same", "/good")}---\n${canary("same", "/good")}`);
    const { code, stdout, stderr } = await run(["apply", "-f", file], env);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(new RegExp(`^${file}:\\d+:1: error: metadata.name: .*already`));
    expect(await count()).toBe(0);
  });

  test("an access token signs in, from the environment, a flag, or remembered", async () => {
    const made = await app.admin.post("/api/auth/tokens", { name: "pipeline" });
    const token = made.json.access_token as string;
    const other = makeHome();
    try {
      const elsewhere = { ...other.env, MAINSTAY_SERVER: app.address };
      const file = write("token.yaml", canary("by-token", "/good"));
      const applied = await run(["apply", "-f", file], {
        ...elsewhere,
        MAINSTAY_TOKEN: token,
      });
      expect(applied).toEqual({ code: 0, stdout: "canary default/by-token created", stderr: "" });
      const nobody = await run(["get", "canaries"], elsewhere);
      expect(nobody.code).toBe(1);
      const remembered = await run(["login", "--token", token], elsewhere);
      expect(remembered.stdout).toBe(`Signed in to ${app.address} as Admin.`);
      const gone = await run(["delete", "canary", "by-token"], elsewhere);
      expect(gone.stdout).toBe("canary default/by-token deleted");

      await app.db.run(sql`update access_tokens set expires_at = now() where id = ${made.json.id}`);
      const expired = await run(["get", "canaries"], elsewhere);
      expect([expired.code, expired.stderr]).toEqual([
        1,
        `${app.address} says: access token has expired. Make a new one in the console and pass it with --token or MAINSTAY_TOKEN.`,
      ]);
      const neither = await run(["login"], elsewhere);
      expect(neither.stderr).toBe("Say who you are: --email YOU, or --token with an access token.");
    } finally {
      other.remove();
    }
  });

  test("a session that has ended says how to go on", async () => {
    const { code, stderr } = await run(["get", "checks", "--token", "invalid"], env);
    expect([code, stderr]).toEqual([
      1,
      `The session for ${app.address} is not valid any more. Sign in again: mainstay login --server ${app.address} --email YOU`,
    ]);
  });
});

test("--help lists every setting with flag, variable and default; version prints it", async () => {
  const { settings } = await import("../settings.ts");
  const [help, version] = await Promise.all([
    mainstay(["--help"], home.env),
    mainstay(["version"], home.env),
  ]);
  for (const { flag, env } of Object.values(settings)) {
    expect(help.stdout).toContain(`  ${flag} `);
    expect(help.stdout).toContain(` ${env} `);
  }
  expect(help.stdout).toMatch(/--port <number>\s+PORT\s.*\(default 3100\)/);
  expect([help.code, version]).toEqual([0, { code: 0, stdout: serverVersion, stderr: "" }]);
});
