// `npm test`: installs what is missing, then format, lint, types, architecture, unit, feature and browser tests.
// `npm run e2e` is the browser part alone. The last line sums up all of it: `N passed, N failed, N skipped`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { environment, installDependencies, root } from "./install.mjs";

/** Real peers of the tests, as Debian packages: the program that shows one is there, and its package. */
const peers = [
  ["/usr/bin/chromium", "chromium"],
  ["/usr/bin/redis-server", "redis-server"],
  ["/usr/sbin/mariadbd", "mariadb-server"],
  ["/usr/sbin/dnsmasq", "dnsmasq-base"],
  ["/usr/bin/ping", "iputils-ping"],
  ["/usr/bin/openssl", "openssl"],
];

function installPeers() {
  const missing = peers.filter(
    ([program]) => !existsSync(program) && !existsSync(program.replace("/usr", "")),
  );
  if (missing.length === 0) return;
  const names = missing.map(([, name]) => name);
  if (!existsSync("/usr/bin/apt-get") || process.getuid?.() !== 0) {
    console.log(
      `Not installed, their tests will be skipped: ${names.join(", ")} (needs apt-get and root).`,
    );
    return;
  }
  console.log(`Installing for the tests: ${names.join(", ")} ...`);
  const options = {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  };
  spawnSync("apt-get", ["update", "-q"], options);
  const result = spawnSync(
    "apt-get",
    ["install", "-y", "-q", "--no-install-recommends", ...names],
    options,
  );
  if (result.status !== 0)
    console.log("Some could not be installed; their tests will be skipped and counted so.");
}

/** Seconds per part, and per test file of all parts. */
const times = { parts: [], files: [] };

function timed(title, work) {
  const started = Date.now();
  const result = work();
  times.parts.push([title, (Date.now() - started) / 1000]);
  return result;
}

function printTimes() {
  const line = ([name, seconds]) => `  ${seconds.toFixed(1).padStart(7)} s  ${name}`;
  const slowest = times.files.toSorted((a, b) => b[1] - a[1]).slice(0, 10);
  console.log(`\nTime by part:\n${times.parts.map(line).join("\n")}`);
  if (slowest.length > 0) console.log(`The slowest files:\n${slowest.map(line).join("\n")}`);
}

function vitest(title, args) {
  const directory = mkdtempSync(join(tmpdir(), "mainstay-report-"));
  const file = join(directory, "report.json");
  console.log(`\n== ${title}`);
  const result = spawnSync(
    "vitest",
    ["run", "--reporter=default", "--reporter=json", `--outputFile=${file}`, ...args],
    {
      cwd: root,
      stdio: "inherit",
      env: environment,
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
  rmSync(directory, { recursive: true, force: true });
  // A runner that ends badly, or that ran nothing, is a failure whatever it counted.
  if (count.failed === 0 && (result.status !== 0 || count.passed === 0)) count.failed = 1;
  return count;
}

timed("installing", () => {
  installDependencies();
  installPeers();
});
const only = process.argv[2];
const counts = [];
if (only !== "e2e") {
  const { check } = await import("./check.mjs");
  counts.push(timed("format, lint, types, architecture", check));
  const title = "unit and feature tests";
  counts.push(timed(title, () => vitest(title, ["--project=!e2e", "--project=!architecture"])));
}
const { buildConsole } = await import("./build-console.mjs");
timed("building the console", buildConsole);
counts.push(timed("browser journeys", () => vitest("browser journeys", ["--project=e2e"])));

const total = counts.reduce((sum, count) => ({
  passed: sum.passed + count.passed,
  failed: sum.failed + count.failed,
  skipped: sum.skipped + count.skipped,
}));
printTimes();
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed > 0 ? 1 : 0);
