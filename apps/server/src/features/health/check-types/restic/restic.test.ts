import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  areInstalled,
  listenTcp,
  removeFolder,
  temporaryFolder,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestConnector, tryCheck } from "../testing/try-check.ts";
import { readSnapshots } from "./read-snapshots.ts";
import { repositoryHost } from "./repository-host.ts";
import { restic } from "./restic.ts";

// Takes long: restic stretches the password anew at every run, on purpose.
/** Against restic itself, on a repository in a folder that the user of programs may read. */

describe.skipIf(!areInstalled("restic"))("restic", () => {
  let folder = "";
  const password = "correct horse";
  const own = (repository: string, ...args: string[]) => {
    const { status, stderr } = spawnSync("restic", ["--no-cache", "-r", repository, ...args], {
      env: { ...process.env, RESTIC_PASSWORD: password },
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
  };
  const at = (name: string) => join(folder, name);
  const open = (path: string) => spawnSync("chmod", ["-R", "a+rX", path]);
  beforeAll(() => {
    folder = temporaryFolder("restic");
    chmodSync(folder, 0o755);
    mkdirSync(at("data"));
    writeFileSync(at("data/file"), randomBytes(100_000));
    for (const name of ["good", "empty", "broken"]) own(at(name), "init");
    for (const name of ["good", "broken"]) own(at(name), "backup", at("data"));
    own(at("good"), "backup", "--time", "2020-01-01 00:00:00", "--host", "old", at("data"));
    const packs = join(at("broken"), "data");
    // What the files held. Of their names restic would ask for again and again.
    for (const prefix of readdirSync(packs))
      for (const pack of readdirSync(join(packs, prefix)))
        if (statSync(join(packs, prefix, pack)).size > 50_000)
          unlinkSync(join(packs, prefix, pack));
    open(folder);
  });
  afterAll(() => {
    removeFolder(folder);
  });
  const spec = (name: string, more: object = {}) => ({
    repository: at(name),
    password: { value: password },
    ...more,
  });

  test.each<[string, object, boolean, RegExp]>([
    ["good", {}, true, /the newest snapshot is \d+s old/],
    ["good", { maxAge: "1h", checkIntegrity: true }, true, /the newest snapshot is/],
    ["good", { maxAge: "0s" }, false, /old, at most 0s wanted/],
    ["empty", {}, true, /holds no snapshot/],
    ["empty", { maxAge: "1h" }, false, /holds no snapshot/],
    ["broken", { maxAge: "1h" }, true, /newest snapshot/],
    ["broken", { checkIntegrity: true }, false, /the repository is not intact: restic ended/],
    ["missing", {}, false, /the snapshots cannot be listed: restic ended with code 1/],
  ])("%s %j", async (name, more, pass, said) => {
    const outcome = await tryCheck(restic, spec(name, more), { timeoutMs: 60_000 });
    expect(outcome).toMatchObject({ pass });
    expect(outcome.error ?? outcome.message).toMatch(said);
    expect(JSON.stringify(outcome)).not.toContain(password);
  });

  test("the details name the newest of each host", async () => {
    const { details } = await tryCheck(restic, spec("good"), { timeoutMs: 60_000 });
    const latest = details?.latest as { hostname: string; paths: string[] }[];
    expect(latest).toHaveLength(2);
    expect(latest[1]).toMatchObject({ hostname: "old", paths: [at("data")] });
  });

  test("a wrong password is said, and not shown", async () => {
    const outcome = await tryCheck(restic, spec("good", { password: { value: "swordfish" } }), {
      timeoutMs: 60_000,
    });
    expect(outcome.error).toBe("the password does not open the repository");
    expect(JSON.stringify(outcome)).not.toContain("swordfish");
  });

  test("a silent service ends with the time", async () => {
    const silent = await listenTcp(() => undefined);
    const outcome = await tryCheck(
      restic,
      spec("good", { repository: `s3:http://127.0.0.1:${silent.port}/bucket` }),
      { timeoutMs: 1500 },
    );
    expect(outcome.error).toBe("timed out after 1500 ms");
    await silent.close();
  });
});

test("a repository at an address that is not allowed is not asked", async () => {
  const connector = openTestConnector({ deny: ["127.0.0.0/8"] });
  const spec = { repository: "rest:http://127.0.0.1:8000/", password: { value: "x" } };
  expect((await tryCheck(restic, spec, { connector })).error).toContain("not allowed");
});

test("what the check does not say", async () => {
  expect(await tryCheck(restic, {})).toMatchObject({ invalid: true });
  expect(await tryCheck(restic, { repository: "/a" })).toMatchObject({
    invalid: true,
    error: "the check has no password for the repository",
  });
});

test.each<[string, { host: string; port: number } | undefined]>([
  ["s3:http://minio:9000/b", { host: "minio", port: 9000 }],
  ["s3:s3.amazonaws.com/b", { host: "s3.amazonaws.com", port: 443 }],
  ["rest:https://u:p@h/", { host: "h", port: 443 }],
  ["rest:http://[::1]:8000/", { host: "::1", port: 8000 }],
  ["sftp:u@h:/srv", { host: "h", port: 22 }],
  ["sftp://u@h:2222//srv", { host: "h", port: 2222 }],
  ["/srv/restic", undefined],
  ["b2:bucket", undefined],
])("the host of %s", (repository, expected) => {
  expect(repositoryHost(repository)).toEqual(expected);
});

test("what is no listing of snapshots", () => {
  expect(readSnapshots("null")).toEqual([]);
  expect(readSnapshots("{}")).toBeUndefined();
  expect(readSnapshots("Fatal: no")).toBeUndefined();
  expect(readSnapshots('[null, {"time": "never"}, 3]')).toEqual([]);
});
