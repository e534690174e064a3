// `npm run fuzz [count] [-- --seed=N]`: hostile requests to the data API, 200,000 unless said, and as many asked of two
// databases that differ in what is hidden; a failure prints its seed.
import { environment, installDependencies, node, root, run } from "./install.mjs";
import { join } from "node:path";

installDependencies();
const args = process.argv.slice(2);
const count = args.find((argument) => /^\d+$/.test(argument)) ?? "200000";
const seed = args.map((argument) => /^--seed=(-?\d+)$/.exec(argument)?.[1]).find(Boolean);
run(
  node,
  [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--project",
    "packages",
    "packages/data-api/src/fuzz.test.ts",
    "packages/data-api/src/noninterference.test.ts",
  ],
  { env: { ...environment, FUZZ_RUNS: count, ...(seed ? { FUZZ_SEED: seed } : {}) } },
);
