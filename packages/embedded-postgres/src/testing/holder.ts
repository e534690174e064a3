import { startEmbeddedPostgres, StartupError } from "../index.ts";

/** A program with an embedded database in the directory it is given, for tests that kill it. */
const say = (line: string) => process.stdout.write(`${line}\n`);
const log = {
  debug: () => undefined,
  info: (_fields: object, message: string) => say(`info ${message}`),
  error: (_fields: object, message: string) => say(`error ${message}`),
};
try {
  const server = await startEmbeddedPostgres({ dataDir: process.argv[2]!, log });
  process.once("SIGTERM", () => void server.stop().then(() => process.exit(0)));
  const { connection, owner } = server;
  say(`ready ${JSON.stringify({ connection, owner })}`);
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
