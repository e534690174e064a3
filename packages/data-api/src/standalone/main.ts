#!/usr/bin/env node
import { parseOptions } from "./options.ts";
import { startServer } from "./server.ts";

try {
  await parseOptions(process.argv.slice(2), async (options) => {
    const server = await startServer(options);
    process.stdout.write(`Listening on ${server.address}\n`);
    const stop = () => {
      server.stop().catch((error: unknown) => {
        process.stderr.write(`It could not stop cleanly: ${String(error)}\n`);
        process.exitCode = 1;
      });
    };
    process.once("SIGTERM", stop);
    process.once("SIGINT", stop);
  });
} catch (error) {
  const said = error instanceof Error ? error.message : String(error);
  const cause =
    error instanceof Error && error.cause instanceof Error ? ` ${error.cause.message}` : "";
  process.stderr.write(`data-api: ${said}${cause}\n`);
  process.exitCode = 1;
}
