// `npm run verify`: the complete walks, for before a release: every union of roles, every theme and width, every attack
// whole, fuzzing, kill loops, benchmarks. Takes about an hour on two cores. What came of it is in docs/proof.md, which
// is written anew after each part, so that what ends a run early takes nothing of what was found. `npm run verify -- fuzz`
// runs the parts with that in their names, and writes nothing.
import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { environment, installDependencies, node, root, stop } from "./install.mjs";
import { installJmeter, installPeers, testPeers } from "./peers.mjs";

/** A whole walk in one test takes as long as it takes; the part has an end. */
const whole = ["--testTimeout=1200000", "--hookTimeout=180000"];

/**
 * What is run, each in a process of its own; minutes after which it is ended and has failed, about twice what it takes;
 * how many of its last lines are worth keeping.
 */
const parts = [
  { title: "format, lint, types, architecture", minutes: 10, lines: 0, args: ["check.mjs"] },
  { title: "unit and feature tests", minutes: 60, lines: 0, args: ["test.mjs", "unit", ...whole] },
  { title: "browser journeys", minutes: 30, lines: 0, args: ["test.mjs", "e2e", ...whole] },
  { title: "fuzzing the data API", minutes: 30, lines: 12, args: ["fuzz.mjs", "50000"] },
  {
    title: "servers that are killed",
    minutes: 15,
    lines: 25,
    args: ["bench.mjs", "kill-loop", "10"],
  },
  {
    title: "two servers, one of them killed",
    minutes: 15,
    lines: 10,
    args: ["bench.mjs", "two-servers", "4"],
  },
  ...["data-api", "data-api-engine", "first-load", "runner", "search", "start", "summary"].map(
    (name) => ({
      title: `benchmark ${name}`,
      minutes: 15,
      lines: 50,
      args: ["bench.mjs", name],
    }),
  ),
];

const wanted = process.argv[2];
const chosen = parts.filter(({ title }) => title.includes(wanted ?? ""));
const results = [];
const started = new Date();
/** The process group of the part that runs. */
let group;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.once(signal, () => {
    endGroup("SIGTERM");
    process.kill(process.pid, signal);
  });

if (chosen.length === 0) stop(`No part has "${wanted}" in its name.`);
installDependencies();
installPeers([...testPeers, "wrk"]);
installJmeter();
const commit = askGit("log", "-1", "--format=%H");
const changes = askGit("status", "--porcelain");
for (const part of chosen) {
  results.push(await runPart(part));
  if (wanted === undefined) writeFileSync(join(root, "docs/proof.md"), proof());
}

console.log("\nTime by part:");
for (const { title, seconds, said } of results)
  console.log(`  ${minutesOf(seconds).padStart(9)}  ${title}: ${said}`);
const isGood = results.every(({ passed }) => passed);
console.log(isGood ? "All passed." : "Something failed.");
process.exit(isGood ? 0 : 1);

/** Runs a part to its end or to the end of its time; nothing that it does ends this process. */
async function runPart({ title, minutes, lines, args: [file, ...args] }) {
  console.log(`\n== ${title}`);
  const from = Date.now();
  const child = spawn(node, [join(root, "scripts", file), ...args], {
    cwd: root,
    env: { ...environment, TESTS: "whole" },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, which can be ended with all that it started.
    detached: true,
  });
  group = child.pid;
  const printed = keepLines(child.stdout, process.stdout, 2_000);
  const complained = keepLines(child.stderr, process.stderr, 30);
  let isLate = false;
  const alarm = setTimeout(() => {
    isLate = true;
    endGroup("SIGTERM");
    setTimeout(() => endGroup("SIGKILL"), 30_000).unref();
  }, minutes * 60_000);
  const status = await new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
  clearTimeout(alarm);
  // What it left behind would hold its output open.
  endGroup("SIGTERM");
  await Promise.race([
    Promise.all([finished(child.stdout), finished(child.stderr)]),
    delay(30_000, undefined, { ref: false }),
  ]);
  const count = printed.findLast((line) => /^\d+ passed, \d+ failed/.test(line));
  const passed = status === 0 && !isLate;
  const verdict = isLate
    ? `FAILED: ended after ${minutes} minutes`
    : passed
      ? "passed"
      : `FAILED (${status})`;
  return {
    title,
    seconds: (Date.now() - from) / 1000,
    passed,
    said: count === undefined ? verdict : `${passed ? "" : `${verdict}: `}${count}`,
    output: [
      ...(lines === 0 ? [] : printed.slice(-lines)),
      // Tests that failed, once each, and of the rest the end: what went wrong, not all that was said.
      ...(passed
        ? []
        : [...new Set(printed.filter((line) => /^\s*FAIL /.test(line)))].slice(0, 60)),
      ...(passed ? [] : [...(lines === 0 ? printed.slice(-20) : []), ...complained]),
    ],
  };
}

/** Passes on what is printed, and keeps so many of its last lines that say something. */
function keepLines(stream, onward, count) {
  const kept = [];
  let rest = "";
  stream.setEncoding("utf8").on("data", (text) => {
    onward.write(text);
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const plain = stripVTControlCharacters(line).replaceAll(root, ".").trimEnd();
      if (plain !== "") kept.push(plain.slice(0, 200));
    }
    kept.splice(0, kept.length - count);
  });
  return kept;
}

function endGroup(signal) {
  if (group === undefined) return;
  try {
    process.kill(-group, signal);
  } catch (error) {
    // All of it has ended by itself.
    if (error.code !== "ESRCH") throw error;
  }
}

/** What git says, or nothing where there is no git: in an unpacked archive. */
function askGit(...args) {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}

function minutesOf(seconds) {
  return `${(seconds / 60).toFixed(1)} min`;
}

function proof() {
  const moment = (date) => date.toISOString().slice(0, 16).replace("T", " ");
  const nodeVersion = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release()}, Node ${nodeVersion}`;
  const isOver = results.length === chosen.length;
  const failed = results.filter(({ passed }) => !passed).length;
  const rows = chosen.map(({ title }, at) => {
    const result = results[at];
    return result
      ? `| ${title} | ${minutesOf(result.seconds)} | ${result.said} |`
      : `| ${title} | | not run |`;
  });
  const total = results.reduce((sum, { seconds }) => sum + seconds, 0);
  const sections = results
    .filter(({ output }) => output.length > 0)
    .map(({ title, output }) => `## ${title}\n\n\`\`\`\n${output.join("\n")}\n\`\`\`\n`);
  return `# The last complete verification

Written by \`npm run verify\`: every walk whole, where \`npm test\` takes a sample.

- Begun ${moment(started)} UTC, ${isOver ? `ended ${moment(new Date())} UTC` : "NOT RUN TO ITS END"}: ${failed === 0 ? "nothing failed" : `${failed} of ${results.length} parts FAILED`}
- Commit ${commit === undefined ? "unknown" : `\`${commit}\``}${changes ? " with changes that are in no commit" : ""}
- Machine: ${machine}

| part | time | result |
|---|---|---|
${rows.join("\n")}
| all | ${minutesOf(total)} | |

${sections.join("\n")}`;
}
