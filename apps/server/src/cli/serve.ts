import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#platform/config.ts";
import { createLog, type Log } from "#platform/log.ts";
import { createApp, type App } from "../app.ts";
import { openConfiguredDatabase } from "../database.ts";
import { serverVersion } from "../version.ts";

/** After this long a shutdown no longer waits for what still runs. */
const SHUTDOWN_DEADLINE_MS = 25_000;
/** Signals this soon after the first are the same one. */
const REPEAT_MS = 1_000;

/** Starts everything, prints where it is, and runs until it is told to stop. */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  warnAboutExposure(config, log);
  const firstSignal = nextSignal();
  const { db, close } = await openConfiguredDatabase(config, log);
  let app: App | undefined;
  try {
    app = await createApp({ config, db, log });
    await app.listen();
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
    await app?.stop();
    await close();
  }
  log.info("stopped");
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.on(signal, () => resolve(signal));
  });
}

function warnAboutExposure(config: Config, log: Log): void {
  const local = ["127.0.0.1", "::1", "localhost"].includes(config.host);
  if (local || config.publicUrl?.startsWith("https:")) return;
  log.warn(
    { host: config.host },
    "listening beyond this machine without TLS in front: passwords and sessions travel readable. Put a TLS proxy before it and set PUBLIC_URL to its https address.",
  );
}

function announce(config: Config, app: App): void {
  const lines = [`Mainstay ${serverVersion} is running at ${app.address}`];
  if (config.role === "worker")
    lines[0] = `Mainstay ${serverVersion} works in the background; ${app.address} answers health questions`;
  if (config.checkerOnly) lines.push("Checker-only: the health page, without signing in.");
  else if (app.administrator.password) {
    lines.push(
      `Sign in as ${app.administrator.email} with the password ${app.administrator.password}`,
      "(made for this first start and not shown again)",
    );
  } else if (app.administrator.created)
    lines.push(`Sign in as ${app.administrator.email} with the password you set.`);
  console.log(`\n  ${lines.join("\n  ")}\n`);
}

/**
 * The command line on this machine, run by the same user, needs no sign-in: address and session lie in the data
 * directory, readable by the owner only, for as long as the server runs.
 */
async function writeLocalAccess(
  config: Config,
  app: App,
  log: Log,
): Promise<{ remove(): Promise<void> }> {
  if (config.checkerOnly || config.role === "worker") return { remove: async () => {} };
  const file = join(config.dataDir, "server.json");
  let session: Awaited<ReturnType<App["createLocalSession"]>>;
  try {
    session = await app.createLocalSession();
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify({ server: app.address, token: session.token }), {
      mode: 0o600,
    });
    chmodSync(file, 0o600);
  } catch (error) {
    // Nobody who uses the page misses it; the command line says how to sign in instead.
    log.warn(
      { err: error, file },
      "the command line of this machine has to sign in with mainstay login",
    );
    return { remove: async () => {} };
  }
  return {
    async remove() {
      rmSync(file, { force: true });
      await session.revoke();
    },
  };
}
