// `npm test`: installs what is missing, then format, lint, types, architecture, unit, feature and browser tests.
// `npm run e2e` is the browser part alone, `node scripts/test.mjs unit` the unit and feature tests; what follows goes to
// vitest. The last line sums up all of it: `N passed, N failed, N skipped`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { compiled, environment, installDependencies, root, stop } from "./install.mjs";
import { installJmeter, installPeers, testPeers } from "./peers.mjs";

/**
 * A test file that takes longer says why in a comment that begins with `Takes long:`. A journey may start a
 * server and a browser before it begins.
 */
const longSeconds = (file) => (file.startsWith("apps/e2e/") ? 60 : 20);

/** So much longer may be the doing of a busy machine, or of one half as fast: it is named, and is no failure. */
const busyFactor = 3;

/** Seconds per part, and per test file of all parts. */
const times = { parts: [], files: [] };

/** What failed in all parts: `{name, error}`. */
const failures = [];

async function timed(title, work) {
  const started = Date.now();
  const result = await work();
  times.parts.push([title, (Date.now() - started) / 1000]);
  return result;
}

function printTimes() {
  const line = ([name, seconds]) => `  ${seconds.toFixed(1).padStart(7)} s  ${name}`;
  const slowest = times.files.toSorted((a, b) => b[1] - a[1]).slice(0, 10);
  console.log(`\nTime by part:\n${times.parts.map(line).join("\n")}`);
  if (slowest.length > 0) console.log(`The slowest files:\n${slowest.map(line).join("\n")}`);
}

/** Once more at the end, where it is found without reading everything. */
function printFailures() {
  if (failures.length === 0) return;
  console.log("\nWhat failed:");
  for (const { name, error } of failures)
    console.log(`  ${name}\n${error.replaceAll(/^/gm, "      ")}`);
}

/** The files that took far too long and do not say why; those that took long are named. Whole walks take as long as they take. */
function tooLong() {
  if (process.env.TESTS === "whole") return [];
  const found = times.files.filter(
    ([file, seconds]) =>
      seconds > longSeconds(file) &&
      !readFileSync(join(root, file), "utf8").includes("Takes long:"),
  );
  for (const [file, seconds] of found)
    console.log(
      `${file} took ${seconds.toFixed(0)} s, more than ${longSeconds(file)}: make it shorter, divide it, or say why in a comment ("Takes long: ...").`,
    );
  return found.filter(([file, seconds]) => seconds > longSeconds(file) * busyFactor);
}

function vitest(title, args) {
  const directory = mkdtempSync(join(tmpdir(), "mainstay-report-"));
  const file = join(directory, "report.json");
  const failed = join(directory, "failures.json");
  console.log(`\n== ${title}`);
  const result = spawnSync(
    "vitest",
    [
      "run",
      "--reporter=default",
      "--reporter=json",
      "--reporter=./scripts/failures-reporter.mjs",
      `--outputFile.json=${file}`,
      ...args,
    ],
    {
      cwd: root,
      stdio: "inherit",
      env: {
        ...environment,
        // The program is started hundreds of times: reading it is half of what a start takes.
        NODE_COMPILE_CACHE: compiled,
        MAINSTAY_FAILURES: failed,
      },
    },
  );
  const count = { passed: 0, failed: 0, skipped: 0 };
  if (existsSync(file)) {
    const report = JSON.parse(readFileSync(file, "utf8"));
    count.passed = report.numPassedTests;
    count.failed = report.numFailedTests;
    count.skipped = report.numPendingTests + report.numTodoTests;
    for (const { name, startTime, endTime } of report.testResults)
      times.files.push([relative(root, name), (endTime - startTime) / 1000]);
  }
  if (existsSync(failed)) failures.push(...JSON.parse(readFileSync(failed, "utf8")));
  rmSync(directory, { recursive: true, force: true });
  // A runner that ends badly, or that ran nothing, is a failure whatever it counted.
  if (count.failed === 0 && (result.status !== 0 || count.passed === 0)) {
    count.failed = 1;
    failures.push({ name: title, error: `ended with ${result.status ?? result.signal}` });
  }
  return count;
}

/** Everything, or with `only` the "unit" tests or the "e2e" journeys; tells what took how long and what came of it. */
async function runTests(only, args) {
  await timed("installing", () => {
    installDependencies();
    installPeers(testPeers);
    installJmeter();
  });
  const counts = [];
  if (only === undefined) {
    const { check } = await import("./check.mjs");
    counts.push(await timed("format, lint, types, architecture", check));
  }
  if (only !== "e2e") {
    const title = "unit and feature tests";
    counts.push(
      await timed(title, () =>
        vitest(title, ["--project=!e2e", "--project=!architecture", ...args]),
      ),
    );
  }
  if (only !== "unit") {
    const { buildConsole, buildGallery } = await import("./build-console.mjs");
    await timed("building the console", () => {
      buildConsole();
      buildGallery();
    });
    const title = "browser journeys";
    counts.push(await timed(title, () => vitest(title, ["--project=e2e", ...args])));
  }
  printTimes();
  const long = tooLong();
  printFailures();
  if (long.length > 0) counts.push({ passed: 0, failed: long.length, skipped: 0 });
  const total = counts.reduce((sum, count) => ({
    passed: sum.passed + count.passed,
    failed: sum.failed + count.failed,
    skipped: sum.skipped + count.skipped,
  }));
  console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  return total;
}

const [only, ...args] = process.argv.slice(2);
if (only !== undefined && !["unit", "e2e"].includes(only))
  stop(`There is no part of the tests called ${only}; there are unit and e2e.`);
const total = await runTests(only, args);
process.exit(total.failed > 0 ? 1 : 0);
