// Takes long: documents are applied and scraped by the program's own worker.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { amount } from "@mainstay/testkit/sample.ts";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { scraperRuns } from "../testing/scraper-runs.ts";

/** A repository that is written to while it is read: every scrape sees one commit, and every commit is told once. */

let app: TestApp;
let runs: ReturnType<typeof scraperRuns>;
beforeAll(async () => {
  app = await startTestApp();
  runs = scraperRuns(app);
});
afterAll(() => app.stop());

const env = {
  ...process.env,
  GIT_AUTHOR_NAME: "Vera",
  GIT_AUTHOR_EMAIL: "vera@example.org",
  GIT_COMMITTER_NAME: "Vera",
  GIT_COMMITTER_EMAIL: "vera@example.org",
};

/** A repository to push to, and one whose commits are pushed; a shell in the latter. */
function makeRepository() {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-busy-"));
  // Programs run as somebody else.
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const shell = (text: string) =>
    execFileSync("sh", ["-eu", "-c", text], { cwd: folder, env, encoding: "utf8" });
  shell("git init -q --bare -b main bare.git; git init -q -b main work");
  shell("cd work; git remote add origin ../bare.git");
  return { folder, shell, url: `git::file://${folder}/bare.git` };
}

const commitsOf = (id: string) =>
  app.db.rows<{ name: string; commit: string; count: number; summary: string }>(sql`
    select i.name, c.details ->> 'commit' as commit, c.count, c.summary from config_changes c
      join config_items i on i.id = c.config_id
     where i.scraper_id = ${id} and c.change_type = 'GitCommit' order by c.created_at, c.summary`);

test("the oldest commit that is told is told of its own files alone", async () => {
  const { folder, url } = makeRepository();
  const began = Math.floor(Date.now() / 1000) - 3600;
  /** All at once: a hundred times git would take seconds. */
  function commit(from: number, to: number): void {
    const data = (text: string) => `data ${text.length}\n${text}\n`;
    const commits = Array.from({ length: to - from + 1 }, (_none, index) => {
      const n = from + index;
      return [
        `commit refs/heads/main\ncommitter Vera <vera@example.org> ${began + n} +0000\n`,
        data(`commit ${n}`),
        index === 0 && from > 1 ? "from refs/heads/main^0\n" : "",
        `M 100644 inline ${n === 1 ? "first" : "often"}.yaml\n${data(`n: ${n}\n`)}`,
        // Nothing is in it, and nothing is to be.
        n === 1 ? `M 100644 inline values.yaml\n${data("")}` : "",
      ].join("");
    });
    const cwd = join(folder, "bare.git");
    execFileSync("git", ["fast-import", "--quiet"], { cwd, input: commits.join("") });
  }
  commit(1, 102);
  const id = await runs.apply({ file: [{ url }] });
  expect(await runs.ran(id)).toMatchObject({ status: "SUCCESS", success_count: 2 });
  commit(103, 104);
  expect(await runs.rerun(id)).toMatchObject({ status: "SUCCESS", success_count: 2 });
  // The first hundred began at the third one, whose file is the other.
  expect(await commitsOf(id)).toEqual(
    Array.from({ length: 102 }, (_none, index) => ({
      name: "often.yaml",
      commit: expect.any(String) as string,
      count: 1,
      summary: `commit ${index + 3}`,
    })),
  );
});

test("pushes in the middle, by force as well, and a branch that is deleted and made again", async () => {
  const { folder, shell, url } = makeRepository();
  const names = Array.from({ length: 12 }, (_none, index) => `f${index}`);
  /** All files of a commit say the same. */
  const write = (text: string) =>
    `for f in ${names.join(" ")}; do echo "n: ${text}" > $f.yaml; done; git add -A`;
  shell(`cd work; ${write("start")}; git commit -qm start; git push -q origin main`);
  const id = await runs.apply({ file: [{ url }] });
  expect(await runs.ran(id)).toMatchObject({ status: "SUCCESS", success_count: names.length });
  const loop = `cd work; n=0; while [ ! -e ../stop ]; do
    n=$((n + 1)); ${write("$n")}
    case $((n % 4)) in
      0) git commit -q --amend -m "amended $n"; git push -q -f origin main;;
      1) git commit -qm "commit $n"; git push -q origin :main; git push -q origin main;;
      *) git commit -qm "commit $n"; git push -q origin main;;
    esac
    echo pushed
  done`;
  // A branch that HEAD names may be deleted here.
  shell("cd bare.git; git config receive.denyDeleteCurrent ignore");
  const pusher = spawn("sh", ["-eu", "-c", loop], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(pusher, "exit");
  onTestFinished(() => void pusher.kill());
  await once(pusher.stdout.resume(), "data");
  const told: string[] = [];
  for (let run = 0; run < amount(12, 4); run += 1) {
    const { status, success_count, details } = await runs.rerun(id);
    // Between its deletion and its return there is no branch.
    if (status !== "SUCCESS") expect(details.errors?.join("\n")).toMatch(/remote ref|not our ref/);
    else expect(success_count).toBe(names.length);
    const rows = await app.db.rows<{ n: string; files: number }>(sql`
      select config ->> 'n' as n, count(*)::int as files from config_items
       where scraper_id = ${id} and deleted_at is null group by 1`);
    expect(rows).toMatchObject([{ files: names.length }]);
    told.push(rows[0]!.n);
  }
  expect(new Set(told).size).toBeGreaterThan(1);
  shell("touch stop");
  expect(await ended).toEqual([0, null]);
  expect(await runs.rerun(id)).toMatchObject({ status: "SUCCESS", success_count: names.length });
  const commits = await commitsOf(id);
  const keys = commits.map(({ name, commit }) => `${name} ${commit}`);
  expect(new Set(keys).size).toBe(keys.length);
  expect(commits.filter(({ count }) => count !== 1)).toEqual([]);
  const last = shell("cd bare.git; git log -n 100 --format=%H main").trim().split("\n");
  const known = new Set(keys);
  expect(
    last
      .flatMap((hash) => names.map((name) => `${name}.yaml ${hash}`))
      .filter((key) => !known.has(key)),
  ).toEqual([]);
});
