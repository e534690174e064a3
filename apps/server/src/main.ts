#!/usr/bin/env node
import { StartupError } from "@mainstay/embedded-postgres";
import { createProgram } from "./cli/program.ts";

try {
  await createProgram().parseAsync(process.argv);
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  // What the person at the keyboard can do something about is one line, without a stack.
  console.error(error.message);
  process.exitCode = 1;
}
