import { posix } from "node:path";
import type { JunitSpec } from "@mainstay/contract";
import type { KubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import { readPathPattern } from "#platform/outbound/files/path-pattern.ts";
import { type Left, Unreadable } from "#platform/outbound/left-files.ts";
import { reader } from "./pod-results.ts";
import type { ResultPlace } from "./result-place.ts";

interface Wanted {
  wanted: NonNullable<JunitSpec["artifacts"]>;
  /** The folder that the tests share with the container that hands it out. */
  place: Pick<ResultPlace, "folder">;
}

/** Of all names below the folder, in bytes. */
const mostNames = 1024 * 1024;

/** No link is listed, and the tests that could put one in a file's place have ended. */
const listNames = `cd "$1" && find . -type f -print0 | head -c ${mostNames + 1}`;
const readOne = 'cd "$3" && head -c "$1" -- "./$2"';

/** What the tests of a pod have left of the files that the check names, each once. */
export async function* podFiles(
  client: Pick<KubernetesClient, "exec">,
  pod: { namespace: string; name: string },
  { wanted, place: { folder } }: Wanted,
): AsyncGenerator<Left> {
  if (wanted.length === 0) return;
  const ask = async (command: string[], most: number) => {
    const { stdout, stderr, failure } = await client.exec({
      ...pod,
      container: reader,
      command,
      most,
    });
    if (failure !== undefined)
      throw new Unreadable([failure, stderr.trim()].filter(Boolean).join(": ").slice(0, 200));
    return stdout;
  };
  const isWanted: ((path: string) => boolean)[] = [];
  for (const { path } of wanted) {
    const below = posix.relative(folder, posix.resolve(folder, path));
    if (below === ".." || below.startsWith("../"))
      yield { path, problem: `outside ${folder}, the folder of the results` };
    else isWanted.push(matcherOf(below));
  }
  if (isWanted.length === 0) return;
  const printed = await ask(["sh", "-c", listNames, "sh", folder], mostNames + 1);
  const whole = printed.subarray(0, printed.lastIndexOf(0) + 1).toString("utf8");
  const names = whole.split("\0").map((name) => name.replace(/^\.\//, ""));
  for (const path of names.filter(Boolean).toSorted())
    if (isWanted.some((matches) => matches(path)))
      yield {
        path,
        async read(most) {
          const command = ["sh", "-c", readOne, "sh", String(most + 1), path, folder];
          const bytes = await ask(command, most + 1);
          return bytes.length > most ? undefined : bytes;
        },
      };
  if (printed.length > mostNames)
    yield { path: folder, problem: "it holds too many names to look at all" };
}

/** Of a path below the folder; one without wildcards means a file, or all below a folder. */
function matcherOf(path: string): (candidate: string) => boolean {
  const { root, matches } = readPathPattern(path, true);
  const beginning = root === "" ? "" : `${root}/`;
  return (candidate) => {
    if (!matches) return root === "" || candidate === root || candidate.startsWith(beginning);
    return candidate.startsWith(beginning) && matches(candidate.slice(beginning.length));
  };
}
