import type { CheckSummary } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase } from "../../../testing/app.ts";
import { writeResults } from "../results/write-results.ts";
import { createMomentCache } from "./moment-totals.ts";
import { checkNow, readClock } from "./check-now.ts";
import { steppedRange } from "./read-range.ts";
import { readStaticParts, summariseChecks } from "./summary.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const needed = { failuresNeeded: 3, successesNeeded: 2 };

const ends = new Date("2027-03-01T12:00:00.000Z");

/** A check after some runs: passed, failed, could not be tried; passed with a certificate. */
async function shownAfter(name: string, runs: string): Promise<CheckSummary> {
  const { db } = database;
  const { id } = (await db.first<{ id: string }>(sql`
    with canary as (insert into canaries (name, namespace, spec) values (${name}, 'default', '{}') returning id)
    insert into checks (canary_id, type, name) select id, 'tcp', 'x' from canary returning id`))!;
  const now = new Date();
  for (const [index, run] of runs.split("").entries()) {
    const time = new Date(now.getTime() - 60_000 + index * 1_000);
    const error = { F: "connection refused", "?": "no way out" }[run];
    const about = {
      pass: run === "P" || run === "C",
      invalid: false,
      ...(error && { error }),
      ...(run === "C" && { expires: { at: ends, what: "certificate" as const } }),
    };
    await db.transaction((tx) =>
      writeResults(tx, [
        { checkId: id, time, durationMs: 5, untried: run === "?", ...about, ...needed },
      ]),
    );
  }
  const range = steppedRange({ start: new Date(now.getTime() - 3_600_000) }, now);
  const parts = await readStaticParts(db);
  const moments = createMomentCache(db);
  const { checks } = await summariseChecks({ db, moments, parts, range, now });
  return (JSON.parse(checks) as CheckSummary[]).find((check) => check.id === id)!;
}

test("of a check whose canary is paused the dialog says so, and what it said last", async () => {
  const { db } = database;
  const { id } = await shownAfter("paused", "PF");
  const told = async () => checkNow((await readClock(db, id))!);
  expect(await told()).toMatchObject({ passed: false, streak: failing(1) });
  expect(await told()).not.toHaveProperty("paused");
  await db.run(sql`
    update canaries set annotations = '{"paused":"true"}' where id = (select canary_id from checks where id = ${id})`);
  const paused = await told();
  expect(paused).toMatchObject({ status: "unknown", paused: true, message: "connection refused" });
  expect(paused.streak).toBeUndefined();
});

const failing = (runs: number) => ({ passed: false, runs, needed: 3 });
const expires = {
  expires_at: ends.toISOString(),
  expires_what: "certificate",
} as const;
const untried = { untried: "no way out", message: "no way out" };

test.each<[string, string, Partial<CheckSummary>, readonly (keyof CheckSummary)[]]>([
  ["nothing is known and it fails", "FF", { status: "unknown", streak: failing(2) }, ["untried"]],
  ["it failed often enough", "FFF", { status: "unhealthy" }, ["streak"]],
  ["it was healthy and fails", "PPF", { status: "healthy", streak: failing(1) }, []],
  ["it failed once and passes again", "PPFP", { status: "healthy" }, ["streak"]],
  [
    "it was unhealthy and passes",
    "FFFP",
    { status: "unhealthy", streak: { passed: true, runs: 1, needed: 2 } },
    [],
  ],
  ["it could never be tried", "?", { ...untried, uptime: { passed: 0, failed: 0 } }, ["status"]],
  ["it was healthy and could not be tried", "PP?", { ...untried, status: "healthy" }, ["streak"]],
  [
    "it was failing and could not be tried",
    "FF?",
    { ...untried, streak: failing(2), uptime: expect.objectContaining({ failed: 2 }) as never },
    ["status"],
  ],
  ["its certificate ends", "C", expires, []],
  ["its certificate ends, and then it fails", "CF?", expires, []],
  ["it has no certificate any more", "CP", {}, ["expires_at", "expires_what"]],
  ["it can be tried again", "PP?P", { status: "healthy" }, ["untried", "streak"]],
])("%s", async (name, runs, expected, absent) => {
  const shown = await shownAfter(name, runs);
  expect(shown).toMatchObject(expected);
  for (const field of absent) expect(shown).not.toHaveProperty(field);
});
