// Takes long: programs outlive their time, fork and hide, and are waited for.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { closeInherited } from "./close-inherited.ts";
import { endNumber } from "./end-number.ts";
import { howProgramsRun, type Machine } from "./how-programs-run.ts";
import { listProcesses } from "./processes.ts";
import { createPrograms, ProgramsOff } from "./programs.ts";
import {
  processesWith,
  runScript,
  testPrograms,
  testUids,
  uniqueSleep,
} from "./testing/run-script.ts";

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn("Not root: how scripts run as somebody else is NOT tested here.");

/** A machine that is busy takes its time. */
const patient = { timeout: 20_000, interval: 50 };

/** Starts a part of a script apart from everything: another session, no parent, nothing open. */
const apart = (command: string) =>
  `( ( exec setsid ${command} </dev/null >/dev/null 2>&1 3>&- ) & ) ; `;

describe("how programs run here", () => {
  const execUids = testUids;
  const machine: Machine = { isRoot: true, userName: "root", missing: [] };
  const person: Machine = { isRoot: false, userName: "ada", missing: [] };

  test("as root as somebody else, whatever is switched on", () => {
    for (const exec of ["auto", "on"] as const) {
      const how = howProgramsRun({ exec, execUids }, machine);
      expect(how.as).toBe("own-user");
      expect(how.sentence).toContain("between 60600 and 61111");
    }
  });

  test("as an ordinary user not at all, until it is switched on with what that means", () => {
    const how = howProgramsRun({ exec: "auto", execUids }, person);
    expect(how.as).toBe("off");
    expect(how.sentence).toContain(
      "With EXEC=on (--exec on) they run as the user ada, like the server itself: they can then read its data directory, its key and its database",
    );
    expect(howProgramsRun({ exec: "on", execUids }, person)).toMatchObject({
      as: "same-user",
      sentence: expect.stringContaining("as the user ada") as string,
    });
  });

  test("off is off, for root too; a root that may not change the user says what it lacks", () => {
    for (const who of [machine, person])
      expect(howProgramsRun({ exec: "off", execUids }, who).as).toBe("off");
    const how = howProgramsRun(
      { exec: "auto", execUids },
      { ...machine, missing: ["the capability SETUID"] },
    );
    expect(how).toMatchObject({ as: "off" });
    expect(how.sentence).toContain("lacks the capability SETUID");
  });

  test("where they are off nothing is run", async () => {
    const off = createPrograms({ exec: "off", execUids });
    const folder = mkdtempSync("/tmp/mainstay-off-");
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const proof = join(folder, "proof");
    await expect(runScript(`touch ${proof}`, { programs: off })).rejects.toThrow(ProgramsOff);
    expect(existsSync(proof)).toBe(false);
  });
});

describe.skipIf(!isRoot)("as somebody else", () => {
  let place = "";
  beforeAll(async () => {
    closeInherited();
    // The first one reserves numbers; timeouts below are about what runs.
    await runScript("true");
    place = mkdtempSync("/tmp/mainstay-programs-");
    chmodSync(place, 0o755);
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  test("it has a number of its own, no groups, no rights and no way to get any", async () => {
    const { stdout, stderr } = await runScript(
      "cat /proc/self/status; ulimit -c; ulimit -u; cat /proc/self/oom_score_adj",
    );
    expect(stderr.text).toBe("");
    const words = (name: string) =>
      new RegExp(`^${name}:[ \\t]*(.*)$`, "m").exec(stdout.text)?.[1]?.trim();
    const numbers = words("Uid")!.split(/\s+/).map(Number);
    expect(new Set(numbers).size).toBe(1);
    expect(numbers[0]).toBeGreaterThanOrEqual(testUids.from);
    expect(numbers[0]).toBeLessThanOrEqual(testUids.to);
    expect(words("Gid")).toBe(words("Uid"));
    expect(words("Groups")).toBe("");
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"])
      expect(words(set)).toBe("0000000000000000");
    expect(words("NoNewPrivs")).toBe("1");
    expect(stdout.text.trim().split("\n").slice(-3)).toEqual(["0", "256", "1000"]);
  });

  test("a program that makes others root makes nobody root", async () => {
    const tool = join(place, "id");
    copyFileSync("/usr/bin/id", tool);
    chmodSync(tool, 0o4755);
    expect(spawnSync(tool, ["-u"], { uid: 65_534, gid: 65_534 }).stdout.toString()).toBe("0\n");
    const { stdout } = await runScript(`${tool} -u; ${tool} -ru`);
    const [effective, real] = stdout.text.trim().split("\n");
    expect(effective).toBe(real);
    expect(effective).not.toBe("0");
  });

  test("it can read nothing of ours", async () => {
    const key = join(place, "data/encryption.key");
    mkdirSync(join(place, "data"), { mode: 0o700 });
    writeFileSync(key, "the key", { mode: 0o600 });
    const { host, port } = inject("cluster");
    const { stdout } = await runScript(
      [
        "cat /proc/1/environ",
        `cat /proc/${process.pid}/environ`,
        `ls /proc/${process.pid}/fd/`,
        `cat ${key}`,
        `ls ${join(place, "data")}`,
        "ls /root",
        `ls ${host}`,
        `perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new("${host}/.s.PGSQL.${port}") or exit 1; print "connected"'`,
        "kill -0 1",
        `kill -0 ${process.pid}`,
        "cat ../environment; ls ..; touch ../x",
      ]
        .map((command) => `if ${command} 2>/dev/null; then echo "WORKED ${command}"; fi`)
        .join("\n"),
    );
    // Its own variables it knows anyway; the folder around its own cannot be listed or written.
    expect(stdout.text.replaceAll(/^export .*\n/gm, "")).toBe("");
  });

  test("nothing of what we have open is open there", async () => {
    const held = openSync(join(place, "held"), "w");
    // Not through a pipe: it would be open in the shell meanwhile.
    const { stdout } = await runScript(
      "ls -l /proc/$$/fd >list; sed -n 's/.* \\([0-9]* ->\\)/\\1/p' list",
    );
    closeSync(held);
    const open = stdout.text.trim().split("\n");
    expect(
      open.map((line) => line.split(" ")[0]),
      stdout.text,
    ).toEqual(["0", "1", "2"]);
    expect(open[0]).toBe("0 -> /dev/null");
  });

  test("what the document says is not obeyed before the user has changed", async () => {
    const evil = join(place, "evil");
    mkdirSync(evil);
    chmodSync(evil, 0o755);
    for (const name of ["prlimit", "setpriv", "sh", "env"]) {
      writeFileSync(join(evil, name), `#!/bin/sh\nid -u > ${place}/proof\n`, { mode: 0o755 });
    }
    symlinkSync("/bin/bash", join(evil, "bash"));
    const run = await runScript("echo $LD_PRELOAD $PATH", {
      env: { PATH: `${evil}:/usr/bin:/bin`, LD_PRELOAD: `${evil}/x.so`, BASH_ENV: `${evil}/sh` },
    });
    expect(run.stdout.text).toContain(`${evil}/x.so`);
    // The library is looked for only by what runs as the script itself.
    expect(run.stderr.text).not.toMatch(/setpriv|prlimit/);
    expect(existsSync(join(place, "proof"))).toBe(false);
  });

  test("values arrive as they are, and names that are none are refused", async () => {
    const value = `it's "$HOME" \`id\` \\ $(id)\nsecond line`;
    const run = await runScript('printf %s "$ODD"', { env: { ODD: value } });
    expect(run.stdout.text).toBe(value);
    for (const [name, text] of [
      ["A B", "x"],
      ["a;id", "x"],
      ["A", "\0"],
    ] as const)
      await expect(runScript("true", { env: { [name]: text } })).rejects.toThrow(
        "cannot be a variable of a script",
      );
  });

  test("after its timeout nothing of it is left: other session, no parent, nothing open, deaf", async () => {
    const sleep = uniqueSleep();
    const run = await runScript(
      `cat /proc/1/environ; ${apart(sleep)} ${apart(`env -i bash -c "trap '' TERM HUP INT; ${sleep}; :"`)} trap '' TERM; echo ready; ${sleep}`,
      { timeoutMs: 3000 },
    );
    expect(run.stdout.text).toBe("ready\n");
    expect(run.stderr.text).toContain("Permission denied");
    await vi.waitFor(async () => expect(await processesWith(sleep)).toEqual([]), patient);
  });

  test("so it is when it ends by itself", async () => {
    const sleep = uniqueSleep();
    const run = await runScript(`${apart(sleep)} echo done`);
    expect(run).toMatchObject({ exitCode: 0, stdout: { text: "done\n" } });
    await vi.waitFor(async () => expect(await processesWith(sleep)).toEqual([]), patient);
  });

  test("a bomb of forks stays below its limit and ends", async () => {
    const mark = uniqueSleep().split(" ")[1]!;
    const over = new AbortController();
    let most = 0;
    const watch = async () => {
      while (!over.signal.aborted) {
        const numbers = (await listProcesses()).map(({ users }) => users[0]!);
        for (const uid of new Set(numbers))
          if (uid >= testUids.from && uid <= testUids.to)
            most = Math.max(most, numbers.filter((number) => number === uid).length);
      }
    };
    const watching = watch();
    await runScript(`bomb() { bomb | bomb & }; : ${mark}; bomb; while :; do :; done`, {
      timeoutMs: 4000,
    });
    over.abort();
    await watching;
    expect(most).toBeGreaterThan(10);
    expect(most).toBeLessThanOrEqual(256);
    await vi.waitFor(async () => expect(await processesWith(mark)).toEqual([]), patient);
  });

  test("a chain of processes that never stand still ends", async () => {
    const mark = uniqueSleep().split(" ")[1]!;
    await runScript(
      `${apart(`bash -c 'hop() { ( hop ) & exit; }; : ${mark}; hop'`)} sleep 0.3; echo`,
    );
    await vi.waitFor(async () => expect(await processesWith(mark)).toEqual([]), patient);
  });

  test("one that ends whoever would end it ends", async () => {
    const mark = uniqueSleep().split(" ")[1]!;
    const fighter = `bash -c ': ${mark}; trap "" TERM; while :; do kill -9 -1; kill -STOP -1; done'`;
    const started = performance.now();
    await runScript(`${apart(fighter)} while :; do sleep 1; done`, { timeoutMs: 5000 });
    await vi.waitFor(async () => expect(await processesWith(mark)).toEqual([]), patient);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test("what it leaves where everybody may write is gone before anybody has its number again", async () => {
    const name = `left-${process.pid}-${Math.floor(Math.random() * 1e9)}`;
    const shm = readFileSync("/proc/sysvipc/shm", "utf8");
    await runScript(
      `umask 0; mkdir -p /tmp/${name}/a /dev/shm/${name}; touch /tmp/${name}/a/b /var/tmp/${name}; chmod 0 /tmp/${name}/a; ipcmk -M 4096 -p 0666 >/dev/null; id -u`,
    );
    await vi.waitFor(() => {
      for (const folder of ["/tmp", "/var/tmp", "/dev/shm"])
        expect(readdirSync(folder)).not.toContain(name);
      const ours = readFileSync("/proc/sysvipc/shm", "utf8")
        .split("\n")
        .filter((line) => !shm.includes(line) && /\s(60[6-9]|61[01])\d\d\s/.test(line));
      expect(ours).toEqual([]);
    }, patient);
  });

  test("a folder that it has filled and locked is removed; nobody waits for that", async () => {
    const run = await runScript(
      "pwd; mkdir -p a/b; for i in $(seq 20); do touch a/b/$i.{1..1000}; done; chmod 0 a/b a; chmod 0500 .",
      { timeoutMs: 60_000 },
    );
    const folder = run.stdout.text.trim();
    expect(folder).toMatch(/\/mainstay-exec-\w+\/work$/);
    await vi.waitFor(() => expect(existsSync(join(folder, ".."))).toBe(false), {
      timeout: 30_000,
      interval: 50,
    });
  });

  test("its folder is its own alone", async () => {
    const mark = uniqueSleep().split(" ")[1]!;
    const running = runScript(`: ${mark}; until [ -e done ]; do sleep 0.1; done`);
    let folder = "";
    await vi.waitFor(async () => {
      const pids = await processesWith(mark);
      const variables = pids.flatMap((pid) =>
        readFileSync(`/proc/${pid}/environ`, "utf8").split("\0"),
      );
      const found = variables.find((entry) => entry.startsWith("TMPDIR="));
      folder = found?.slice("TMPDIR=".length) ?? "";
      expect(folder).not.toBe("");
    }, patient);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const intruder = await runScript(`ls ${folder}; cat ${join(folder, "../environment")}`);
    expect(intruder.stdout.text).toBe("");
    expect(intruder.exitCode).not.toBe(0);
    writeFileSync(join(folder, "done"), "");
    expect(await running).toMatchObject({ exitCode: 0 });
  });

  test("two at once have two numbers", async () => {
    const runs = await Promise.all(Array.from({ length: 12 }, () => runScript("id -u; sleep 0.5")));
    expect(new Set(runs.map(({ stdout }) => stdout.text)).size).toBe(12);
  });

  test("two servers of one machine share no number", async () => {
    const few = { from: 61_112, to: 61_115 };
    const first = createPrograms({ exec: "auto", execUids: few });
    const run = await runScript("id -u", { programs: first });
    expect(Number(run.stdout.text)).toBeGreaterThanOrEqual(few.from);
    const program = `
      const { createPrograms } = await import(${JSON.stringify(new URL("programs.ts", import.meta.url).href)});
      const programs = createPrograms({ exec: "auto", execUids: ${JSON.stringify(few)} });
      const script = { text: "id -u", command: () => ["id", ["-u"]], env: {}, signal: AbortSignal.timeout(9000), keptOutput: 99 };
      await programs.run(script).then((run) => console.log(run.stdout.text), (error) => console.log(error.message));`;
    const second = spawnSync(process.execPath, ["--input-type=module", "-e", program]);
    expect(String(second.stdout)).toContain("none of the user numbers 61112 to 61115 is free");
  });

  test("what a server that was killed left running ends when the next one starts its first script", async () => {
    const few = { from: 61_120, to: 61_124 };
    const sleep = uniqueSleep();
    const [command, length] = sleep.split(" ") as [string, string];
    const orphan = spawn(command, [length], { uid: 61_122, gid: 61_122, stdio: "ignore" });
    const ended = once(orphan, "exit");
    await runScript("true", { programs: createPrograms({ exec: "auto", execUids: few }) });
    expect(await ended).toEqual([null, "SIGKILL"]);
  });

  test("numbers of accounts are left alone", async () => {
    const account = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .map((line) => Number(line.split(":")[2]))
      .find((uid) => uid > 0)!;
    const only = createPrograms({ exec: "auto", execUids: { from: account, to: account } });
    await expect(runScript("true", { programs: only })).rejects.toThrow("is free for scripts");
  });

  test("nobody is ended by mistake: root and the own number are refused", async () => {
    for (const [uid, keeper] of [
      [0, 60_600],
      [60_600, 0],
      [60_600, 60_600],
      [Number.NaN, 60_600],
    ])
      await expect(endNumber(uid!, keeper!)).rejects.toThrow("no number to end");
  });

  test("an end before the beginning runs nothing", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    const script = { text: "", command: () => ["id", []] as [string, string[]], env: {} };
    await expect(testPrograms.run({ ...script, signal, keptOutput: 1 })).rejects.toThrow("enough");
  });
});
