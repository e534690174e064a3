// `npm run check`: what takes seconds and needs no database. Each step is one entry of the summary.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { environment, installDependencies, root } from "./install.mjs";

const workspaces = ["packages", "apps"].flatMap((group) =>
  readdirSync(join(root, group))
    .map((name) => `${group}/${name}`)
    .filter((path) => existsSync(join(root, path, "tsconfig.json"))),
);

/** @type {[title: string, command: string, args: string[]][]} */
const steps = [
  ["format", "oxfmt", ["--check"]],
  ["lint", "oxlint", ["--type-aware", "--deny-warnings"]],
  ...workspaces.map((path) => [`types ${path}`, "tsc", ["-p", path]]),
  ["types tools", "tsc", ["-p", "tsconfig.json"]],
  ["architecture", "vitest", ["run", "--project", "architecture"]],
];

/** Runs the static checks; returns how many passed and failed. */
export function check() {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const [title, command, args] of steps) {
    const started = Date.now();
    const result = spawnSync(command, args, { cwd: root, env: environment, encoding: "utf8" });
    const good = result.status === 0;
    count[good ? "passed" : "failed"] += 1;
    console.log(
      `${good ? "ok  " : "FAIL"}  ${title} (${((Date.now() - started) / 1000).toFixed(1)} s)`,
    );
    if (!good) console.log(`${result.stdout}${result.stderr}`.slice(0, 20_000));
  }
  return count;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  installDependencies();
  const count = check();
  console.log(`${count.passed} passed, ${count.failed} failed`);
  process.exit(count.failed > 0 ? 1 : 0);
}
