// Takes long: each test starts, stops or kills clusters of its own.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { databaseOwner } from "./owner.ts";
import { makePlace, removePlaces } from "./testing/places.ts";
import { endPrograms, startProgram, type Ways } from "./testing/program.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = join(makePlace(), "data");
});
afterEach(async () => {
  await endPrograms();
  removePlaces();
});

async function ask<Row extends object>({ owner }: Ways, text: string): Promise<Row[]> {
  const client = new pg.Client(owner);
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const postmasterOf = (directory: string) =>
  Number(readFileSync(join(directory, "postgres-18/postmaster.pid"), "utf8").split("\n", 1)[0]);

const isGone = (pid: number) => {
  try {
    return /\)\s[ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
};

const gone = (pid: number) =>
  vi.waitFor(() => expect(isGone(pid)).toBe(true), { timeout: 20_000, interval: 20 });

describe("a start and a stop", () => {
  test("the first start makes the cluster, a stop leaves nothing running, the next start finds the rows", async () => {
    const first = startProgram(dataDir);
    const ways = await first.ready();
    expect(first.lines[0]).toBe("info creating the database");
    await ask(ways, "create table kept (n int); insert into kept values (1)");
    const postmaster = postmasterOf(dataDir);
    first.process.kill("SIGTERM");
    expect(await first.ended()).toEqual({ code: 0, signal: null });
    expect(isGone(postmaster)).toBe(true);
    expect(readdirSync(dataDir).toSorted()).toEqual([
      "database-passwords.json",
      "lock",
      "postgres-18",
    ]);
    expect(existsSync(join(dataDir, "postgres-18/postmaster.pid"))).toBe(false);

    const second = startProgram(dataDir);
    expect(await ask(await second.ready(), "select n from kept")).toEqual([{ n: 1 }]);
    expect(second.lines).not.toContain("info creating the database");
  });

  test("the caller's locale does not matter, and a name relative to where it stands works", async () => {
    const program = startProgram("data", {
      cwd: join(dataDir, ".."),
      env: { PATH: process.env.PATH, LANG: "xx_YY.UTF-8", LC_MESSAGES: "nowhere" },
    });
    const rows = await ask(
      await program.ready(),
      `select current_setting('server_encoding') as encoding, datlocprovider as provider, datlocale as locale,
              lower('ÀÉ') as lowered, current_setting('data_checksums') as checksums, current_setting('listen_addresses') as addresses
         from pg_database where datname = 'postgres'`,
    );
    expect(rows).toEqual([
      {
        encoding: "UTF8",
        provider: "b",
        locale: "C.UTF-8",
        lowered: "àé",
        checksums: "on",
        addresses: "",
      },
    ]);
    expect(existsSync(join(dataDir, "postgres-18"))).toBe(true);
  });

  test.each([
    ["longer than a socket's name may be", `${"deep/".repeat(22)}data`],
    ["with a comma, which PostgreSQL reads as a list", "a,b"],
  ])("a path %s", async (_what, name) => {
    const odd = join(dataDir, name);
    const program = startProgram(odd);
    const ways = await program.ready();
    const { host } = ways.owner;
    expect(host).toMatch(/^\/tmp\/mainstay-[0-9a-f]{16}$/);
    expect(await ask(ways, "select 1 as one")).toEqual([{ one: 1 }]);
    await program.kill("SIGTERM");
    expect(existsSync(host)).toBe(false);
  });

  test("what an interrupted first start left is thrown away", async () => {
    mkdirSync(join(dataDir, "postgres-18.new/base"), { recursive: true });
    writeFileSync(join(dataDir, "postgres-18.new/PG_VERSION"), "18\n");
    const owner = databaseOwner(join(dataDir, "postgres-18"));
    if (owner) spawnSync("chown", ["-R", `${owner.uid}:${owner.gid}`, dataDir]);
    const program = startProgram(dataDir);
    await program.ready();
    expect(existsSync(join(dataDir, "postgres-18.new"))).toBe(false);
  });

  test("a first start that is killed while it makes the cluster is made good by the next", async () => {
    const killed = startProgram(dataDir);
    await vi.waitFor(() => expect(existsSync(join(dataDir, "postgres-18.new"))).toBe(true), {
      interval: 5,
      timeout: 20_000,
    });
    await killed.kill("SIGKILL");
    expect(existsSync(join(dataDir, "postgres-18/PG_VERSION"))).toBe(false);
    const program = startProgram(dataDir);
    expect(await ask(await program.ready(), "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

describe("one server for one data directory", () => {
  test("a second one says who holds it and ends; the first goes on", async () => {
    const first = startProgram(dataDir);
    const ways = await first.ready();
    const postmaster = postmasterOf(dataDir);
    const second = startProgram(dataDir);
    expect(await second.ended()).toMatchObject({ code: 1 });
    expect(second.errors).toEqual([
      `The data directory ${dataDir} is in use by another server (process ${first.process.pid}). ` +
        "Stop it, or choose another directory with --data-dir or MAINSTAY_DATA_DIR.",
    ]);
    expect(await ask(ways, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(postmasterOf(dataDir)).toBe(postmaster);
  });

  test("of two first starts at once one wins, and the cluster is whole", async () => {
    const programs = [startProgram(dataDir), startProgram(dataDir)];
    const winner = await Promise.any(
      programs.map(async (program) => (await program.ready(), program)),
    );
    const loser = programs.find((program) => program !== winner)!;
    expect(await loser.ended()).toMatchObject({ code: 1 });
    expect(loser.errors).toHaveLength(1);
    expect(loser.errors[0]).toContain(`in use by another server (process ${winner.process.pid})`);
    expect(await ask(await winner.ready(), "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

describe("a sudden death", () => {
  test("of the program: the database ends by itself, and a new start at once has all committed rows", async () => {
    const killed = startProgram(dataDir);
    const ways = await killed.ready();
    await ask(ways, "create table kept (n int)");
    for (let n = 1; n <= 20; n += 1) await ask(ways, `insert into kept values (${n})`);
    const postmaster = postmasterOf(dataDir);
    await killed.kill("SIGKILL");
    const next = startProgram(dataDir);
    const rows = await ask(await next.ready(), "select count(*)::int as count from kept");
    expect(rows).toEqual([{ count: 20 }]);
    expect(isGone(postmaster)).toBe(true);
  });

  test("of the program alone: nothing is left running", async () => {
    const killed = startProgram(dataDir);
    await killed.ready();
    const postmaster = postmasterOf(dataDir);
    await killed.kill("SIGKILL");
    await gone(postmaster);
    expect(existsSync(join(dataDir, "postgres-18/postmaster.pid"))).toBe(false);
  });

  test("of the database: it is started again, the rows are there, a stop still works", async () => {
    const program = startProgram(dataDir);
    const ways = await program.ready();
    await ask(ways, "create table kept (n int); insert into kept values (1)");
    for (let round = 1; round <= 2; round += 1) {
      const postmaster = postmasterOf(dataDir);
      process.kill(postmaster, "SIGKILL");
      await gone(postmaster);
      const rows = await vi.waitFor(() => ask(ways, "select n from kept"), {
        timeout: 20_000,
        interval: 50,
      });
      expect(rows).toEqual([{ n: 1 }]);
    }
    expect(program.lines).toContain(
      "error the embedded database ended unexpectedly; starting it again",
    );
    const postmaster = postmasterOf(dataDir);
    program.process.kill("SIGTERM");
    expect(await program.ended()).toEqual({ code: 0, signal: null });
    expect(isGone(postmaster)).toBe(true);
  });

  test("of the database, and a stop before it is back: nothing is started any more", async () => {
    const program = startProgram(dataDir);
    await program.ready();
    process.kill(postmasterOf(dataDir), "SIGKILL");
    program.process.kill("SIGTERM");
    expect(await program.ended()).toEqual({ code: 0, signal: null });
    // Were one left, it would hold the lock.
    const next = startProgram(dataDir);
    await next.ready();
  });
});
