import { checkSpecs, type ExecSpec } from "@mainstay/contract";
import { WrongCheckout } from "#platform/outbound/git/checkout.ts";
import { ProgramsOff } from "#platform/outbound/programs.ts";
import type { ProgramRun } from "#platform/outbound/run-program.ts";
import {
  commandOf,
  failureOf,
  isWithoutProgram,
  type RanScript,
  runScript,
} from "#platform/outbound/scripts/run-script.ts";
import { createHider } from "#platform/sealing/hide-secrets.ts";
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

/** Of each stream, in bytes. */
const keptOutput = 131_072;
/** Of both streams together, in characters of JSON: what a result may hold. */
const keptDetails = 126_000;
const keptErrors = 32_768;
const longestMessage = 4096;

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
      let ran: RanScript;
      try {
        ran = await runScript(spec, {
          connector,
          signal,
          keptOutput,
          async keep(files, lent) {
            await hidingKeeper(input.artifacts, createHider(lent))?.keep(files, { signal });
          },
        });
      } catch (error) {
        if (error instanceof ProgramsOff || error instanceof WrongCheckout)
          return failed(error.message, { invalid: true });
        throw error;
      }
      const run = trimmed(ran.run);
      const stderr = cutToJson(run.stderr.text, keptErrors);
      const stdout = cutToJson(run.stdout.text, keptDetails - JSON.stringify(stderr).length);
      const isCut =
        run.stdout.isCut ||
        run.stderr.isCut ||
        stdout.length + stderr.length < run.stdout.text.length + run.stderr.text.length;
      const [path, args] = commandOf(spec.script, "script");
      const extra = ran.checkout && { git: ran.checkout.address, commit: ran.checkout.commit };
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
      if (!ran.isInTime) return failed(abortMessage(input), outcome);
      if (isWithoutProgram(run)) return untried(failureOf(run), outcome);
      if (run.exitCode !== 0) return failed(failureOf(run), outcome);
      const said = run.stdout.text.slice(0, longestMessage);
      return passed(said || `done in ${inMs(run.durationMs)}`, outcome);
    });
  },
});
