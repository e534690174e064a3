import { posix } from "node:path";
import { artifactLimits, type ExecSpec } from "@mainstay/contract";
import { createHider } from "#platform/sealing/hide-secrets.ts";
import type { Connector } from "../connector.ts";
import { type Checkout, prepareCheckout } from "../git/checkout.ts";
import type { Left } from "../left-files.ts";
import { NotTried } from "../not-tried.ts";
import { PreparationFailed } from "../programs.ts";
import type { ProgramRun } from "../run-program.ts";
import { cloudAccess, withRole } from "./cloud-access.ts";
import { beginningOf, isStream, scriptFiles } from "./script-files.ts";

/** A script as documents write it: its variables, the repository it starts in, its access to clouds, files to keep. */
export type ScriptFields = Pick<
  ExecSpec,
  "script" | "env" | "checkout" | "connections" | "artifacts"
>;

export interface ScriptOptions {
  connector: Connector;
  signal: AbortSignal;
  /** Bytes kept of each stream. */
  keptOutput: number;
  /** Files that lie where the script starts, by their ways from there (`placedPath`). */
  placed?: readonly { path: string; text: string }[];
  /** Takes the files that the document wants to have kept; `lent` are secrets that stand in no document. */
  keep?(files: AsyncIterable<Left>, lent: readonly string[]): Promise<void>;
}

export interface RanScript {
  /** Its texts without what nobody but this run knows, and so nobody else could hide. */
  run: ProgramRun;
  /** It had ended when its time was over; its files may have taken what was left. */
  isInTime: boolean;
  /** The repository that it started in. */
  checkout?: { address: string; commit: string };
}

/** The repository could not be checked out, so the script was not run. */
export class NotCheckedOut extends NotTried {}

/** Linux takes 131,071 bytes as one argument at most; longer scripts are started from their file. */
const longestArgument = 100_000;

/** How the script is started: by bash, or by what its first line names (with at most one argument, as the kernel does). */
export function commandOf(script: string, file: string): [program: string, args: string[]] {
  const shebang = /^#!\s*(\S+)(?:[ \t]+([^\n]*\S))?[ \t]*\r?\n/.exec(script);
  if (!shebang)
    return ["bash", Buffer.byteLength(script) > longestArgument ? [file] : ["-c", script]];
  const [, program, argument] = shebang;
  return [program as string, argument === undefined ? [file] : [argument, file]];
}

/** As `commandOf`, in a folder below the working directory, with files put there. */
function commandIn(
  { folder, placed }: { folder: string | undefined; placed: readonly string[] },
  script: string,
  file: string,
): [string, string[]] {
  const [program, args] = commandOf(script, file);
  if (folder === undefined && placed.length === 0) return [program, args];
  const puts = placed.map(
    (path, index) =>
      `mkdir -p -- ${quoted(posix.dirname(path))} && cp -- "$${placedVariable(index)}" ${quoted(path)} && `,
  );
  const start = `cd -- "$0" && ${puts.join("")}exec "$@"`;
  return ["bash", ["-c", start, folder ?? ".", program, ...args]];
}

const placedVariable = (index: number) => `PLACED_FILE_${index}`;
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The way to a file from where a script starts, as it is written; undefined where it leads out of that folder. */
export function placedPath(written: string): string | undefined {
  const path = posix.normalize(written.trim());
  const leadsOut = posix.isAbsolute(path) || path === ".." || path.startsWith("../");
  return leadsOut || path === "." || path.endsWith("/") || path.includes("\0") ? undefined : path;
}

const environment = ({ env }: ScriptFields): Record<string, string> =>
  Object.fromEntries((env ?? []).map(({ name, value }) => [name, value ?? ""]));

const longestSaid = 4096;
const lastLines = (text: string) => text.trim().slice(-longestSaid);

/** How a script ended that failed, with the last of what it said. */
export function failureOf(run: ProgramRun): string {
  const said = lastLines(
    [run.stderr.text, run.stdout.text].filter((text) => text.trim() !== "").join("\n"),
  );
  const end = run.killedBy
    ? `the script was killed by ${run.killedBy}`
    : `the script ended with code ${run.exitCode}`;
  return said === "" ? end : `${end}: ${said}`;
}

/** How a shell ends when a program is not there (127) or may not be run (126), and the sentence that it says it with. */
export const isWithoutProgram = ({ exitCode, stderr }: ProgramRun): boolean =>
  (exitCode === 127 && /: (command )?not found$|: No such file or directory$/m.test(stderr.text)) ||
  (exitCode === 126 && /: Permission denied$/m.test(stderr.text));

function notCheckedOut(run: ProgramRun, address: string): string {
  const said = lastLines(run.stderr.text).replaceAll(/^(fatal|error): /gm, "");
  return `the repository ${address} could not be checked out: ${said || failureOf(run)}`;
}

function withoutSecrets(run: ProgramRun, secrets: readonly string[]): ProgramRun {
  const hider = createHider(secrets);
  if (!hider) return run;
  const { stdout, stderr } = run;
  return {
    ...run,
    stdout: { ...stdout, text: hider.message(stdout.text) },
    stderr: { ...stderr, text: hider.message(stderr.text) },
  };
}

/**
 * Runs the script of a document. How it ended is for others to judge.
 * @throws WrongCheckout, NotCheckedOut, ProgramsOff
 */
export async function runScript(
  spec: ScriptFields,
  { connector, signal, keptOutput, keep, placed = [] }: ScriptOptions,
): Promise<RanScript> {
  const { script, artifacts: wanted = [] } = spec;
  let isInTime = false;
  let checkout: Checkout | undefined;
  try {
    checkout = spec.checkout && (await prepareCheckout(spec.checkout, { connector, signal }));
    const folder = checkout?.folder;
    const { connections, lent } = await withRole(spec.connections ?? {}, { connector, signal });
    const access = cloudAccess(connections);
    const run = await connector.programs.run({
      text: script,
      command: (file) =>
        commandIn({ folder, placed: placed.map(({ path }) => path) }, script, file),
      // What the document sets by name wins over what follows from a connection.
      env: { ...access.env, ...environment(spec) },
      files: [
        ...access.files,
        ...placed.map(({ text }, index) => ({
          name: `placed-${index}`,
          text,
          variable: placedVariable(index),
        })),
      ],
      ...(checkout && { before: checkout.before }),
      async collect(left) {
        isInTime = !signal.aborted;
        if (wanted.length > 0) await keep?.(scriptFiles(wanted, left, folder), lent);
      },
      signal,
      keptOutput: wanted.some(({ path }) => isStream(path))
        ? Math.max(keptOutput, artifactLimits.streamBytes)
        : keptOutput,
    });
    return {
      run: withoutSecrets(beginningOf(run, keptOutput), lent),
      isInTime,
      ...(checkout && {
        checkout: { address: checkout.address, commit: run.before?.trim() ?? "" },
      }),
    };
  } catch (error) {
    if (error instanceof PreparationFailed && !signal.aborted)
      throw new NotCheckedOut(notCheckedOut(error.run, checkout?.address ?? ""), { cause: error });
    throw error;
  }
}
