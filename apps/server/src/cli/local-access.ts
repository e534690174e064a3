import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#platform/config.ts";
import type { Log } from "#platform/log.ts";
import type { App } from "../app.ts";

/**
 * The command line on this machine, run by the same user, needs no sign-in: address and session lie in the data
 * directory, readable by the owner only, for as long as the server runs.
 */
export async function writeLocalAccess(
  config: Config,
  app: App,
  log: Log,
): Promise<{ remove(): Promise<void> }> {
  if (config.checkerOnly || config.role === "worker") return { remove: async () => {} };
  const file = join(config.dataDir, "server.json");
  let session: Awaited<ReturnType<App["createLocalSession"]>> | undefined;
  try {
    session = await app.createLocalSession();
    const text = JSON.stringify({ server: app.localAddress, token: session.token });
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    // Under a name of its own first: nobody reads half of it, and no link in its place is followed.
    const partial = `${file}.${process.pid}`;
    rmSync(partial, { force: true });
    writeFileSync(partial, text, { mode: 0o600, flag: "wx" });
    renameSync(partial, file);
  } catch (error) {
    // Nobody who uses the page misses it; the command line says how to sign in instead.
    log.warn(
      { err: error, file },
      "the command line of this machine has to sign in with mainstay login",
    );
  }
  return {
    async remove() {
      if (!session) return;
      // Another server may have put its own there since.
      if (tokenIn(file) === session.token) rmSync(file, { force: true });
      await session.revoke().catch((error: unknown) => {
        log.warn(
          { err: error },
          "the command line's session could not be ended; it ends by itself",
        );
      });
    },
  };
}

function tokenIn(file: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { token?: string }).token;
  } catch {
    return undefined;
  }
}
