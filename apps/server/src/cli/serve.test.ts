// Takes long: each test starts the whole program as people do, on a cluster of its own, and some kill it.
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createTestDatabase, urlOf } from "@mainstay/testkit";
import { afterEach, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { client } from "../testing/app.ts";
import { endMainstays, makeHome, type Running, startMainstay } from "./testing/mainstay.ts";

let home: ReturnType<typeof makeHome>;
let dataDir: string;
beforeEach(() => {
  home = makeHome();
  // Not below the private home: as root the database runs as another user, who cannot enter it.
  dataDir = `${home.directory}-data`;
  home.env.MAINSTAY_DATA_DIR = dataDir;
});
afterEach(async () => {
  await endMainstays();
  home.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

const quiet = { SELF_CHECKS: "false", PORT: "0" };
const serve = (args: string[] = [], env: NodeJS.ProcessEnv = {}): Running =>
  startMainstay(["serve", ...args], { ...home.env, ...quiet, ...env });
const addressOf = async (server: Running) =>
  (await server.says(/(?:is running at|background;) (http:\/\/\S+?)(?:\s|$)/))[1]!;

const readPostmaster = () =>
  Number(readFileSync(join(dataDir, "postgres-18/postmaster.pid"), "utf8").split("\n", 1)[0]);
const isRunning = (pid: number) =>
  existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";

describe("with a database of its own", () => {
  test("SIGTERM ends it with 0, the database with it; the command line finds it while it runs", async () => {
    const server = serve();
    const address = await addressOf(server);
    await server.says(/Sign in as admin@local with the password \S{12,}/);
    const postmaster = readPostmaster();
    expect((await client(address).get("/api/_ready")).json).toEqual({ ready: true });

    const access = join(dataDir, "server.json");
    await vi.waitFor(() => expect(existsSync(access)).toBe(true));
    expect(statSync(access).mode & 0o777).toBe(0o600);
    const get = startMainstay(["get", "canaries"], home.env);
    expect(await get.ended).toMatchObject({ code: 0 });
    expect(get.stdout).toEqual(["NAMESPACE  NAME  SCHEDULE  SOURCE"]);

    server.process.kill("SIGTERM");
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(isRunning(postmaster)).toBe(false);
    expect(existsSync(access)).toBe(false);
    expect(server.stderr).toEqual([]);
    // Nothing went wrong, so nothing is complained about: no warning, no error.
    expect(server.stdout.filter((line) => /"level":[456]0/.test(line))).toEqual([]);
  });

  test("Ctrl-C that arrives twice still stops it cleanly, and the second start keeps the administrator", async () => {
    const first = serve();
    await addressOf(first);
    const postmaster = readPostmaster();
    first.process.kill("SIGINT");
    first.process.kill("SIGINT");
    expect(await first.ended).toEqual({ code: 0, signal: null });
    expect(isRunning(postmaster)).toBe(false);

    const second = serve();
    await addressOf(second);
    expect(second.stdout.join("\n")).not.toContain("password");
    second.process.kill("SIGTERM");
    expect(await second.ended).toEqual({ code: 0, signal: null });
  });

  test("a database that dies under it is back by itself, and so is readiness", async () => {
    const server = serve();
    const asker = client(await addressOf(server));
    process.kill(readPostmaster(), "SIGKILL");
    await server.says(/ended unexpectedly; starting it again/);
    await vi.waitFor(async () => expect((await asker.get("/api/_ready")).status).toBe(200), {
      timeout: 100_000,
      interval: 50,
    });
    expect((await asker.get("/api/_health")).status).toBe(200);
    server.process.kill("SIGTERM");
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });
});

describe("with a database server", () => {
  let url: string;
  let drop: () => Promise<void>;
  beforeEach(async () => {
    const database = await createTestDatabase(
      { connection: inject("cluster") },
      inject("template"),
    );
    url = urlOf(database.owner);
    drop = () => database.drop();
  });
  afterEach(async () => {
    await endMainstays();
    await drop();
  });

  test("an api and a worker share it; each does its part and both stop with 0", async () => {
    const api = serve(["--role", "api"], { DATABASE_URL: url });
    const worker = serve(["--role", "worker"], {
      DATABASE_URL: url,
      MAINSTAY_DATA_DIR: `${home.directory}/other`,
    });
    const [apiAddress, workerAddress] = await Promise.all([addressOf(api), addressOf(worker)]);
    for (const address of [apiAddress, workerAddress])
      expect((await client(address).get("/api/_ready")).status).toBe(200);
    expect((await client(apiAddress).get("/api/db/canaries")).status).toBe(401);
    expect((await client(workerAddress).get("/api/db/canaries")).status).toBe(404);
    for (const server of [api, worker]) {
      server.process.kill("SIGTERM");
      expect(await server.ended).toEqual({ code: 0, signal: null });
    }
  });

  test("checker-only: the health page without a session, and nothing to write", async () => {
    const server = serve(["--checker-only"], { DATABASE_URL: url });
    const nobody = client(await addressOf(server));
    await server.says(/Checker-only/);
    expect((await nobody.get("/api/canary/api/summary")).status).toBe(200);
    expect((await nobody.get("/api/db/canaries")).status).toBe(200);
    const document = { name: "a", namespace: "default", spec: {} };
    expect((await nobody.post("/api/db/canaries", document)).status).toBe(403);
    expect((await nobody.post("/api/canary/documents", { text: "a: b" })).status).toBe(403);
    expect((await nobody.get("/api/db/people")).status).toBeGreaterThanOrEqual(400);
  });

  test("beyond this machine without TLS it warns; behind an https address it does not", async () => {
    const open = serve(["--host", "0.0.0.0", "--role", "worker"], { DATABASE_URL: url });
    await addressOf(open);
    expect(open.stdout.join("\n")).toContain("reachable beyond this machine without TLS");
    const behind = serve(["--role", "worker"], {
      DATABASE_URL: url,
      HOST: "0.0.0.0",
      PUBLIC_URL: "https://mainstay.example.org",
    });
    await behind.says(/background; https:\/\/mainstay\.example\.org/);
    expect(behind.stdout.join("\n")).not.toContain("without TLS");
  });

  test("a port that is taken, an address that is not ours: one line and 1", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const taken = serve(["--port", String(port), "--role", "worker"], { DATABASE_URL: url });
    const foreign = serve(["--host", "203.0.113.1", "--role", "worker"], {
      DATABASE_URL: url,
      LOG_LEVEL: "fatal",
    });
    try {
      expect(await taken.ended).toEqual({ code: 1, signal: null });
      expect(taken.stderr).toEqual([
        `The port ${port} of 127.0.0.1 is taken by another program. Choose another with --port or PORT.`,
      ]);
      expect(await foreign.ended).toEqual({ code: 1, signal: null });
      expect(foreign.stderr).toEqual([
        "It is not possible to listen on 203.0.113.1 (EADDRNOTAVAIL). Choose an address of this machine with --host or HOST.",
      ]);
    } finally {
      other.close();
    }
  });

  test("a database that cannot be reached: one line and 1, without its password", async () => {
    const server = serve([], { DATABASE_URL: "postgres://u:secret@127.0.0.1:1/db" });
    expect(await server.ended).toEqual({ code: 1, signal: null });
    expect(server.stderr).toEqual([
      "The database of DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:1",
    ]);
  });
});
