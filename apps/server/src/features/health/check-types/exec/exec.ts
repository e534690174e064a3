import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkSpecs, type ExecSpec } from "@mainstay/contract";
import {
  abortMessage,
  attempt,
  checkType,
  cutToJson,
  failed,
  inMs,
  passed,
} from "../check-type.ts";
import { type ProgramRun, runProgram } from "#platform/outbound/run-program.ts";

/** Of each stream, in bytes. */
const keptOutput = 131_072;
/** Of both streams together, in characters of JSON: what a result may hold. */
const keptDetails = 126_000;
const keptErrors = 32_768;
const longestMessage = 4096;

/** What a script sees of our environment; everything else may be a secret of ours. */
const passedOn = ["PATH", "HOME", "LANG", "TZ"] as const;
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** How the script is started: by bash, or by what its first line names (with at most one argument, as the kernel does). */
function commandOf(script: string, file: string): [program: string, args: string[]] {
  const shebang = /^#!\s*(\S+)(?:[ \t]+([^\n]*\S))?[ \t]*\r?\n/.exec(script);
  if (!shebang) return ["bash", ["-c", script]];
  const [, program, argument] = shebang;
  return [program as string, argument === undefined ? [file] : [argument, file]];
}

function environment(spec: ExecSpec): Record<string, string> {
  const inherited = passedOn.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const own = (spec.env ?? []).map(({ name, value }) => [name, value ?? ""] as const);
  return { PATH: defaultPath, ...Object.fromEntries(inherited), ...Object.fromEntries(own) };
}

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

export const exec = checkType<ExecSpec>({
  type: "exec",
  spec: checkSpecs.exec,
  network: false,
  endpoint: (spec) =>
    (spec.script.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "")
      .trim()
      .slice(0, 80),
  async run(input) {
    const { spec, signal } = input;
    return attempt(input, async () => {
      const folder = await mkdtemp(join(tmpdir(), "mainstay-exec-"));
      try {
        const file = join(folder, "script");
        const [program, args] = commandOf(spec.script, file);
        if (args.includes(file)) await writeFile(file, spec.script, { mode: 0o700 });
        const run = await runProgram({
          program,
          args,
          cwd: folder,
          env: environment(spec),
          signal,
          keptOutput,
        });
        const stderr = cutToJson(run.stderr.text, keptErrors);
        const stdout = cutToJson(run.stdout.text, keptDetails - JSON.stringify(stderr).length);
        const isCut =
          run.stdout.isCut ||
          run.stderr.isCut ||
          stdout.length + stderr.length < run.stdout.text.length + run.stderr.text.length;
        const outcome = {
          durationMs: run.durationMs,
          details: {
            stdout,
            stderr,
            exitCode: run.exitCode,
            path: program,
            args: args
              .map((argument) => (argument === file ? "script" : argument))
              .filter((argument) => argument !== spec.script),
            ...(isCut && { note: "The output was long; only its beginning is kept." }),
          },
        };
        if (signal.aborted) return failed(abortMessage(input), outcome);
        if (run.exitCode !== 0) return failed(failure(run), outcome);
        const said = run.stdout.text.trim().slice(0, longestMessage);
        return passed(said || `done in ${inMs(run.durationMs)}`, outcome);
      } finally {
        // What a script leaves read-only inside must not keep the check from ending.
        await rm(folder, { recursive: true, force: true, maxRetries: 2 }).catch((error: Error) => {
          process.emitWarning(
            `The folder ${folder} of a finished script could not be removed: ${error.message}`,
          );
        });
      }
    });
  },
});
