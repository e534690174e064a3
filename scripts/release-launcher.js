#!/usr/bin/env node
// The published command. It needs Node 24; on an older one it hands over to the Node that was installed with it.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

// Names are looked up on libuv's threads: with its four, a few slow names would hold up every check.
process.env.UV_THREADPOOL_SIZE ??= "64";

// As `npm start` does: under 500 checks a second 210 MB where V8 takes 340 by itself, and checks that begin in time.
const flags = [
  "--max-semi-space-size=8",
  "--heap-growing-percent=50",
  "--concurrent-marking-max-worker-num=1",
];

const main = new URL("../dist/apps/server/src/main.js", import.meta.url);
if (Number(process.versions.node.split(".")[0]) >= 24) {
  // Of the three the one that still counts when V8 runs already.
  setFlagsFromString(flags[1]);
  await import(main.href);
} else {
  const node = join(
    dirname(createRequire(import.meta.url).resolve("node/package.json")),
    "bin/node",
  );
  if (!existsSync(node)) {
    console.error(
      `Mainstay needs Node 24 or newer (this is ${process.version}), and the one that comes with it was not installed. ` +
        "Install Node 24, or install Mainstay again with install scripts allowed.",
    );
    process.exit(1);
  }
  const child = spawn(node, [...flags, fileURLToPath(main), ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { MALLOC_ARENA_MAX: "1", ...process.env },
  });
  // The terminal sends Ctrl-C to both; what is sent only to us is passed on.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}
