import { StartupError } from "@mainstay/embedded-postgres";
import type { Config } from "#platform/config.ts";
import { refuseOpenWriting, travelsReadable } from "#platform/exposure.ts";
import { closeInherited } from "#platform/outbound/close-inherited.ts";
import { howProgramsRun } from "#platform/outbound/how-programs-run.ts";
import { createHeardLog, type Log } from "#platform/log.ts";
import { createApp, type App } from "../app.ts";
import { openConfiguredDatabase } from "../database.ts";
import { serverVersion } from "../version.ts";
import { writeLocalAccess } from "./local-access.ts";

/** After this long a shutdown no longer waits for what still runs. */
const SHUTDOWN_DEADLINE_MS = 25_000;
/** Signals this soon after the first are the same one. */
const REPEAT_MS = 1_000;

/** Starts everything, prints where it is, and runs until it is told to stop. */
export async function serve(config: Config): Promise<void> {
  refuseOpenWriting(config);
  closeInherited();
  const { log, lines } = createHeardLog(config.logLevel);
  warnAboutExposure(config, log);
  const programs = howProgramsRun(config);
  log[programs.as === "same-user" ? "warn" : "info"](programs.sentence);
  const firstSignal = nextSignal();
  const { db, owner, close } = await openConfiguredDatabase(config, log);
  let app: App | undefined;
  try {
    app = await createApp({ config, db, owner, log, logLines: lines });
    await listen(app, config);
    announce(config, app);
    const local = await writeLocalAccess(config, app, log);
    const signal = await firstSignal;
    log.info({ signal }, "stopping: finishing what runs, refusing what is new");
    // One press of Ctrl-C may arrive twice, from the terminal and from npm; a later one means "now".
    setTimeout(() => void nextSignal().then(() => process.exit(130)), REPEAT_MS).unref();
    setTimeout(() => {
      log.error("could not stop in time");
      process.exit(1);
    }, SHUTDOWN_DEADLINE_MS).unref();
    await local.remove();
  } finally {
    await app?.stop().catch((error: unknown) => {
      log.error({ err: error }, "not everything could be finished");
      process.exitCode = 1;
    });
    await close();
  }
  log.info("stopped");
}

async function listen(app: App, { host, port }: Config): Promise<void> {
  try {
    await app.listen();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== "listen" && syscall !== "getaddrinfo") throw error;
    const reason: Record<string, string> = {
      EADDRINUSE: `The port ${port} of ${host} is taken by another program. Choose another with --port or PORT.`,
      EACCES: `The port ${port} of ${host} is not ours to take (${code}). Choose one above 1023 with --port or PORT.`,
    };
    throw new StartupError(
      reason[code ?? ""] ??
        `It is not possible to listen on ${host} (${code}). Choose an address of this machine with --host or HOST.`,
    );
  }
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.on(signal, () => resolve(signal));
  });
}

function warnAboutExposure(config: Config, log: Log): void {
  if (!travelsReadable(config)) return;
  log.warn(
    { host: config.host, publicUrl: config.publicUrl },
    "reachable beyond this machine without TLS in front: passwords and sessions travel readable. Put a TLS proxy before it and set PUBLIC_URL to its https address.",
  );
}

function announce(config: Config, app: App): void {
  const lines = [`Mainstay ${serverVersion} is running at ${app.address}`];
  if (config.role === "worker")
    lines[0] = `Mainstay ${serverVersion} works in the background; ${app.address} answers health questions`;
  if (config.checkerOnly) lines.push("Checker-only: the health page, without signing in.");
  lines.push(...app.notices);
  console.log(`\n  ${lines.join("\n  ")}\n`);
}
