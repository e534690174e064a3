import { posix } from "node:path";
import { artifactLimits, type ExecSpec, formatSize } from "@mainstay/contract";
import { readPathPattern } from "../files/path-pattern.ts";
import type { Left } from "../left-files.ts";
import type { LeftFolder } from "../programs.ts";
import type { ProgramRun } from "../run-program.ts";

type Wanted = NonNullable<ExecSpec["artifacts"]>;

const streams = { "/dev/stdout": "stdout", "/dev/stderr": "stderr" } as const;

export const isStream = (path: string): path is keyof typeof streams =>
  Object.hasOwn(streams, path);

/** What a script has left of the files that its document names, each once; `folder` is where it started. */
export async function* scriptFiles(
  wanted: Wanted,
  { files, run }: LeftFolder,
  folder = "",
): AsyncGenerator<Left> {
  const seen = new Set<string>();
  for (const { path } of wanted) {
    if (isStream(path)) {
      yield* streamFile(path, run[streams[path]]);
      continue;
    }
    const at = posix.isAbsolute(path) ? undefined : posix.join(folder, path);
    if (at === undefined || at === ".." || at.startsWith("../")) {
      yield { path, problem: "outside the script's own folder, which is its TMPDIR" };
      continue;
    }
    const { root, matches } = readPathPattern(at, true);
    for await (const file of files({ root, matches })) {
      if (seen.has(file.path)) continue;
      seen.add(file.path);
      const isBelow = folder !== "" && file.path.startsWith(`${folder}/`);
      yield { ...file, path: isBelow ? file.path.slice(folder.length + 1) : file.path };
    }
  }
}

function* streamFile(path: string, { bytes, isCut }: ProgramRun["stdout"]): Generator<Left> {
  yield {
    path,
    size: bytes.length,
    read: (most) => Promise.resolve(bytes.length > most ? undefined : bytes),
  };
  if (isCut) yield { path, problem: `but for its first ${formatSize(artifactLimits.streamBytes)}` };
}

/** The same with less of what it wrote. */
export function beginningOf(run: ProgramRun, most: number): ProgramRun {
  const cut = ({ bytes, isCut }: ProgramRun["stdout"]): ProgramRun["stdout"] => {
    const kept = bytes.subarray(0, most);
    return { bytes: kept, text: kept.toString("utf8"), isCut: isCut || kept.length < bytes.length };
  };
  return { ...run, stdout: cut(run.stdout), stderr: cut(run.stderr) };
}
