// `npm run attack [name] [-- --seed=N]`: every attack on a real server, whole; `npm test` tries a sample of each, which
// the seed chooses. A name is a part of a file's path: `npm run attack smuggling`.
import { join } from "node:path";
import { buildConsole } from "./build-console.mjs";
import { environment, installDependencies, node, root, run } from "./install.mjs";

installDependencies();
const args = process.argv.slice(2);
const seed = args.map((argument) => /^--seed=(\d+)$/.exec(argument)?.[1]).find(Boolean);
const names = args.filter((argument) => !argument.startsWith("--"));
buildConsole();
run(
  node,
  [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--project=server",
    "--project=e2e",
    "--testTimeout=1200000",
    "--hookTimeout=120000",
    ...(names.length > 0 ? names : ["src/attack/", "src/hostile-", "e2e/src/stored-script"]),
  ],
  {
    env: {
      ...environment,
      ...(seed ? { TESTS_SEED: seed } : { TESTS: "whole" }),
    },
  },
);
