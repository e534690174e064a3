#!/usr/bin/env node
import { StartupError } from "@mainstay/embedded-postgres";
import { AppError } from "#platform/errors.ts";
import { createProgram } from "./cli/program.ts";

// `mainstay get … | head`: whoever reads has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

try {
  const program = await createProgram(process.argv.slice(2));
  await program.parseAsync(process.argv);
} catch (error) {
  if (!(error instanceof StartupError || error instanceof AppError)) throw error;
  // What the person at the keyboard can do something about is one line, without a stack.
  console.error(error.message);
  process.exitCode = 1;
}
