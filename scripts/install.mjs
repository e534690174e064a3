// Plain JavaScript for any Node from 20 on: it runs before anything is installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, "node_modules/.mainstay-installed");
const bin = join(root, "node_modules/.bin");

/** The pinned Node that everything after the installation runs on. */
export const node = join(bin, process.platform === "win32" ? "node.cmd" : "node");

/**
 * A small young generation, and a full collection when the rest has grown by half: under 500 checks a second 210 MB
 * where V8 takes 340 by itself. With half of the one and three tenths of the other it is 10 MB less, and twice as many
 * collections make checks begin later (`docs/database.md`). One thread beside the program's own looks for what is used: with
 * more a full collection takes all of a small machine for 80 ms, and checks begin up to 60 ms late.
 */
export const serverFlags = [
  "--max-semi-space-size=8",
  "--heap-growing-percent=50",
  "--concurrent-marking-max-worker-num=1",
];

/**
 * What the server's environment says where its owner says nothing. Names are looked up on libuv's threads: with its
 * four, a few slow names would hold up every check. With memory in one place for all threads what compiling has taken
 * is used again: 25 MB less under 500 checks a second.
 */
export const serverEnvironment = { UV_THREADPOOL_SIZE: "64", MALLOC_ARENA_MAX: "1" };

/** What Node.js has compiled, which the next start need not compile again: half of the time that a start takes. */
export const compiled = join(root, "node_modules/.cache/mainstay-compiled");

/** The environment in which `node` is the pinned one. */
export const environment = {
  UV_THREADPOOL_SIZE: serverEnvironment.UV_THREADPOOL_SIZE,
  ...process.env,
  PATH: `${bin}:${process.env.PATH}`,
};

/** Installs the dependencies when the lockfile is not the one that was installed last. */
export function installDependencies() {
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && existsSync(node) && readFileSync(stamp, "utf8") === wanted) return;
  console.log("Installing dependencies (first start, or they have changed) ...");
  // What npm has kept need not be asked for again: the lockfile says what each package must be.
  run("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]);
  if (!existsSync(node))
    stop("The pinned Node was not installed: node_modules/.bin/node is missing.");
  writeFileSync(stamp, wanted);
}

/** Runs a program to its end and stops with its status when it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    env: environment,
    ...options,
  });
  if (result.error) stop(`${command} cannot be run: ${result.error.message}`);
  if (result.status !== 0) process.exit(result.status ?? 1);
}

export function stop(message) {
  console.error(message);
  process.exit(1);
}
