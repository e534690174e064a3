import { artifactLimits, checkSpecs, type ExecSpec } from "@mainstay/contract";
import { hidingKeeper } from "../../artifacts/hide-in-files.ts";
import {
  abortMessage,
  attempt,
  checkType,
  cutToJson,
  failed,
  inMs,
  passed,
  untried,
} from "../check-type.ts";
import { PreparationFailed, ProgramsOff } from "#platform/outbound/programs.ts";
import { type Checkout, prepareCheckout, WrongCheckout } from "./checkout.ts";
import { beginningOf, isStream, scriptFiles } from "./script-files.ts";
import { cloudAccess, withRole } from "./cloud-access.ts";
import type { ProgramRun } from "#platform/outbound/run-program.ts";
import { createHider } from "#platform/sealing/hide-secrets.ts";

/** Of each stream, in bytes. */
const keptOutput = 131_072;
/** Of both streams together, in characters of JSON: what a result may hold. */
const keptDetails = 126_000;
const keptErrors = 32_768;
const longestMessage = 4096;

/** Linux takes 131,071 bytes as one argument at most; longer scripts are started from their file. */
const longestArgument = 100_000;

/** How the script is started: by bash, or by what its first line names (with at most one argument, as the kernel does). */
function commandOf(script: string, file: string): [program: string, args: string[]] {
  const shebang = /^#!\s*(\S+)(?:[ \t]+([^\n]*\S))?[ \t]*\r?\n/.exec(script);
  if (!shebang)
    return ["bash", Buffer.byteLength(script) > longestArgument ? [file] : ["-c", script]];
  const [, program, argument] = shebang;
  return [program as string, argument === undefined ? [file] : [argument, file]];
}

/** As `commandOf`, in a folder below the working directory. */
function commandIn(folder: string | undefined, script: string, file: string): [string, string[]] {
  const [program, args] = commandOf(script, file);
  if (folder === undefined) return [program, args];
  return ["bash", ["-c", 'cd -- "$0" && exec "$@"', folder, program, ...args]];
}

const environment = (spec: ExecSpec): Record<string, string> =>
  Object.fromEntries((spec.env ?? []).map(({ name, value }) => [name, value ?? ""]));

const lastLines = (text: string) => text.trim().slice(-longestMessage);

function failure(run: ProgramRun): string {
  const said = lastLines(
    [run.stderr.text, run.stdout.text].filter((text) => text.trim() !== "").join("\n"),
  );
  const end = run.killedBy
    ? `the script was killed by ${run.killedBy}`
    : `the script ended with code ${run.exitCode}`;
  return said === "" ? end : `${end}: ${said}`;
}

/** How a shell ends when a program is not there (127) or may not be run (126), and the sentence that it says it with. */
const isWithoutProgram = ({ exitCode, stderr }: ProgramRun): boolean =>
  (exitCode === 127 && /: (command )?not found$|: No such file or directory$/m.test(stderr.text)) ||
  (exitCode === 126 && /: Permission denied$/m.test(stderr.text));

function notCheckedOut(run: ProgramRun, address: string): string {
  const said = lastLines(run.stderr.text).replaceAll(/^(fatal|error): /gm, "");
  return `the repository ${address} could not be checked out: ${said || failure(run)}`;
}

/** Without what nobody but this run knows, and so nobody else could hide. */
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

/** As documents of the family compare it: `echo hello` says "hello". */
const trimmed = (run: ProgramRun): ProgramRun => ({
  ...run,
  stdout: { ...run.stdout, text: run.stdout.text.trim() },
  stderr: { ...run.stderr, text: run.stderr.text.trim() },
});

export const exec = checkType<ExecSpec>({
  type: "exec",
  spec: checkSpecs.exec,
  network: false,
  endpoint: (spec) =>
    (spec.script.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "")
      .trim()
      .slice(0, 80),
  async run(input) {
    const { spec, connector, signal } = input;
    return attempt(input, async () => {
      let run: ProgramRun;
      let isInTime = false;
      let checkout: Checkout | undefined;
      try {
        checkout = spec.checkout && (await prepareCheckout(spec.checkout, { connector, signal }));
        const folder = checkout?.folder;
        const { connections, lent } = await withRole(spec.connections ?? {}, { connector, signal });
        const access = cloudAccess(connections);
        const wanted = spec.artifacts ?? [];
        const artifacts = hidingKeeper(input.artifacts, createHider(lent));
        run = await connector.programs.run({
          text: spec.script,
          command: (file) => commandIn(folder, spec.script, file),
          // What the document sets by name wins over what follows from a connection.
          env: { ...access.env, ...environment(spec) },
          files: access.files,
          ...(checkout && { before: checkout.before }),
          async collect(left) {
            isInTime = !signal.aborted;
            if (wanted.length > 0)
              await artifacts?.keep(scriptFiles(wanted, left, folder), { signal });
          },
          signal,
          keptOutput: wanted.some(({ path }) => isStream(path))
            ? artifactLimits.streamBytes
            : keptOutput,
        });
        run = trimmed(withoutSecrets(beginningOf(run, keptOutput), lent));
      } catch (error) {
        if (error instanceof ProgramsOff || error instanceof WrongCheckout)
          return failed(error.message, { invalid: true });
        if (error instanceof PreparationFailed && !signal.aborted)
          return untried(notCheckedOut(error.run, checkout?.address ?? ""));
        throw error;
      }
      const stderr = cutToJson(run.stderr.text, keptErrors);
      const stdout = cutToJson(run.stdout.text, keptDetails - JSON.stringify(stderr).length);
      const isCut =
        run.stdout.isCut ||
        run.stderr.isCut ||
        stdout.length + stderr.length < run.stdout.text.length + run.stderr.text.length;
      const [path, args] = commandOf(spec.script, "script");
      const extra = checkout && { git: checkout.address, commit: run.before?.trim() ?? "" };
      const outcome = {
        durationMs: run.durationMs,
        data: () => ({
          results: {
            stdout: run.stdout.text,
            stderr: run.stderr.text,
            exitCode: run.exitCode,
            path,
            args: args.filter((argument) => argument !== spec.script),
            extra: extra ?? {},
          },
        }),
        details: {
          stdout,
          stderr,
          exitCode: run.exitCode,
          path,
          args: args.filter((argument) => argument !== spec.script),
          ...(extra && { extra }),
          ...(isCut && { note: "The output was long; only its beginning is kept." }),
        },
      };
      // Its files may have taken what time was left.
      if (!isInTime) return failed(abortMessage(input), outcome);
      if (isWithoutProgram(run)) return untried(failure(run), outcome);
      if (run.exitCode !== 0) return failed(failure(run), outcome);
      const said = run.stdout.text.slice(0, longestMessage);
      return passed(said || `done in ${inMs(run.durationMs)}`, outcome);
    });
  },
});
