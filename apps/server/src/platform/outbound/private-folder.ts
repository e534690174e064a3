import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  rmdir,
  stat,
  unlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runHelper } from "./run-as.ts";

export const folderPrefix = "mainstay-exec-";
/** A folder with a million files takes this long at most to be removed; what is left is named in a warning. */
const removeMs = 300_000;

export interface PrivateFolder {
  /** Empty, the script's own to write in. */
  work: string;
  environmentFile: string;
  scriptFile: string;
  /** Puts a file beside them that the script may read, and start when it is a program; returns where it lies. */
  add(name: string, text: string, options?: { isProgram?: boolean }): Promise<string>;
  remove(): Promise<void>;
}

const environmentName = "environment";
const scriptName = "script";

export interface FolderContent {
  /** Left out when the script travels on the command line. */
  script?: string;
  environment(work: string): string;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Variables as a shell reads them back. */
export const exportsOf = (env: Record<string, string>): string =>
  Object.entries(env)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join("");

/**
 * Where the folders lie: among the temporary files, unless those are behind a folder that others may not enter, as the
 * run's number is one of these.
 */
export async function placeForFolders(isForOthers: boolean): Promise<string> {
  const place = tmpdir();
  if (!isForOthers) return place;
  for (let folder = place; folder !== dirname(folder); folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return "/tmp";
  }
  return place;
}

/** The folder of one run: what we put there lies apart from the working directory, and nobody else can enter either. */
export async function makeFolder(
  place: string,
  uid: number | undefined,
  { script, environment }: FolderContent,
): Promise<PrivateFolder> {
  const base = await mkdtemp(join(place, folderPrefix));
  const folder = folderAt(base, uid);
  try {
    await mkdir(folder.work, { mode: 0o700 });
    const files: [string, string][] = [[environmentName, environment(folder.work)]];
    if (script !== undefined) files.push([scriptName, script]);
    await Promise.all(files.map(([name, text]) => folder.add(name, text)));
    if (uid !== undefined) {
      await chown(folder.work, uid, uid);
      await chown(base, 0, uid);
      await chmod(base, 0o710);
    }
    return folder;
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

/** Knows how to remove such a folder, also one that somebody else has made. */
export function folderAt(base: string, uid: number | undefined): PrivateFolder {
  const work = join(base, "work");
  return {
    work,
    environmentFile: join(base, environmentName),
    scriptFile: join(base, scriptName),
    async add(name, text, { isProgram = false } = {}) {
      const path = join(base, name);
      const mode = (uid === undefined ? 0o400 : 0o440) | (isProgram ? 0o110 : 0);
      await writeFile(path, text, { mode, flag: "wx" });
      if (uid !== undefined) await chown(path, 0, uid);
      return path;
    },
    async remove() {
      // Mostly it is empty still; else what the script made is removed with no more rights than it had.
      if (!(await isGone(rmdir(work)))) {
        await removeAs(uid, [work]);
        await isGone(rmdir(work));
      }
      const rest = await readdir(base).catch(() => []);
      await Promise.all(rest.map((name) => isGone(unlink(join(base, name)))));
      if (!(await isGone(rmdir(base))))
        process.emitWarning(`The folder ${base} of a script that has ended could not be removed.`);
    },
  };
}

async function isGone(removal: Promise<void>): Promise<boolean> {
  try {
    await removal;
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/** Removes files and folders, read-only ones too, outside of this process: there may be millions of them. */
export async function removeAs(uid: number | undefined, paths: readonly string[]): Promise<void> {
  const text = 'chmod -R u+rwX -- "$@" 2>/dev/null; rm -rf -- "$@"';
  await runHelper(["/bin/sh", "-c", text, "sh", ...paths], { uid, timeoutMs: removeMs });
}
