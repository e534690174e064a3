// `npm run check`: what takes seconds and needs no database. Each step is one entry of the summary.
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { environment, installDependencies, root } from "./install.mjs";

const workspaces = ["packages", "apps"].flatMap((group) =>
  readdirSync(join(root, group))
    .map((name) => `${group}/${name}`)
    .filter((path) => existsSync(join(root, path, "tsconfig.json"))),
);

/** Several checkers in one process learn the same types anew: two processes of one each take half as long. */
const types = (path) => ["tsc", ["-p", path, "--checkers", "1"]];

/** The longest first. @type {[title: string, command: string, args: string[]][]} */
const steps = [
  ["lint", "oxlint", ["--type-aware", "--deny-warnings"]],
  ["types tools", ...types("tsconfig.json")],
  ...workspaces.toReversed().map((path) => [`types ${path}`, ...types(path)]),
  ["architecture", "vitest", ["run", "--project", "architecture"]],
  ["format", "oxfmt", ["--check"]],
];

/** So many steps run side by side. */
const places = 2;

/** Programs in Go that end after seconds: they need not collect what they have thrown away as soon as usual. */
const hurried = { ...environment, GOGC: "300" };

/** Runs the static checks; returns how many passed and failed. */
export async function check() {
  const count = { passed: 0, failed: 0, skipped: 0 };
  const left = [...steps];
  async function work() {
    for (let step = left.shift(); step; step = left.shift()) {
      const [title, command, args] = step;
      const started = Date.now();
      const options = { cwd: root, env: hurried, maxBuffer: 2 ** 28 };
      const { error, printed } = await new Promise((resolve) => {
        execFile(command, args, options, (failed, stdout, stderr) =>
          resolve({ error: failed, printed: `${stdout}${stderr}` }),
        );
      });
      count[error ? "failed" : "passed"] += 1;
      console.log(
        `${error ? "FAIL" : "ok  "}  ${title} (${((Date.now() - started) / 1000).toFixed(1)} s)`,
      );
      if (error) console.log(printed.slice(0, 20_000) || error.message);
    }
  }
  await Promise.all(Array.from({ length: places }, work));
  return count;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  installDependencies();
  const count = await check();
  console.log(`${count.passed} passed, ${count.failed} failed`);
  process.exit(count.failed > 0 ? 1 : 0);
}
