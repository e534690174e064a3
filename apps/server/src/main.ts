#!/usr/bin/env node
import { runProgram } from "./cli/run-program.ts";

// `mainstay get … | head`: whoever reads has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

await runProgram(process.argv.slice(2));
