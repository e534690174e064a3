// `npm run verify`: the complete walks, for before a release: every union of roles, every theme and width, every attack
// whole, fuzzing, kill loops, benchmarks. Takes hours. What came of it is written to docs/proof.md.
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { environment, installDependencies, node, root } from "./install.mjs";

process.env.TESTS = "whole";
environment.TESTS = "whole";
installDependencies();

const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
const started = new Date();
const commit = git("log", "-1", "--format=%H");
const isClean = git("status", "--porcelain") === "";

/** A script of its own process: what it printed, how long it took, whether it was content. */
function script(title, args) {
  console.log(`\n== ${title}`);
  const from = Date.now();
  const { status, stdout } = spawnSync(node, args, {
    cwd: root,
    env: environment,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 1024 * 1024,
  });
  process.stdout.write(stdout);
  return { title, seconds: (Date.now() - from) / 1000, passed: status === 0, output: stdout };
}

const { runTests } = await import("./test.mjs");
const { total, parts } = await runTests({
  args: ["--testTimeout=1200000", "--hookTimeout=120000"],
});
const soaks = [
  script("fuzzing the data API", ["scripts/fuzz.mjs"]),
  script("servers that are killed", ["scripts/bench.mjs", "kill-loop", "20"]),
  script("two servers", ["scripts/bench.mjs", "two-servers"]),
];
const benches = script("benchmarks", ["scripts/bench.mjs"]);

const minutes = (seconds) => `${(seconds / 60).toFixed(1)} min`;
const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release()}, Node ${execFileSync(node, ["--version"], { encoding: "utf8" }).trim()}`;
/** Without colours and progress, as a block. */
const block = (text) =>
  // oxlint-disable-next-line no-control-regex -- that is what colours are
  `\`\`\`\n${text.replaceAll(/\u001b\[[\d;]*m/g, "").trim()}\n\`\`\``;
const rows = [
  ...parts.map(([title, seconds, count]) => [
    title,
    minutes(seconds),
    count ? `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped` : "",
  ]),
  ...[...soaks, benches].map(({ title, seconds, passed }) => [
    title,
    minutes(seconds),
    passed ? "passed" : "FAILED",
  ]),
];
writeFileSync(
  join(root, "docs/proof.md"),
  `# The last complete verification

Written by \`npm run verify\`: every walk whole, where \`npm test\` takes a sample.

- Begun ${started.toISOString().slice(0, 16).replace("T", " ")} UTC, ended ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC
- Commit \`${commit}\`${isClean ? "" : " with changes that are in no commit"}
- Machine: ${machine}
- Tests: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped

| part | time | result |
|---|---|---|
${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}

## Benchmarks

${block(benches.output)}

## Fuzzing and soaks

${soaks.map(({ title, output }) => `### ${title}\n\n${block(output.split("\n").slice(-30).join("\n"))}`).join("\n\n")}
`,
);
const failed = total.failed > 0 || ![...soaks, benches].every(({ passed }) => passed);
console.log(`\nWritten to docs/proof.md. ${failed ? "Something failed." : "All passed."}`);
process.exit(failed ? 1 : 0);
