import { StartupError } from "@mainstay/embedded-postgres";
import { AppError } from "#platform/errors.ts";
import { createProgram } from "./program.ts";

/** Runs what the words after the program's name ask for; what came of it is the process's exit code. */
export async function runProgram(words: readonly string[]): Promise<void> {
  try {
    const program = await createProgram(words);
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof StartupError || error instanceof AppError)) throw error;
    // What the person at the keyboard can do something about is one line, without a stack.
    console.error(error.message);
    process.exitCode = 1;
  }
}
