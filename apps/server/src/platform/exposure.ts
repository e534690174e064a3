import { StartupError } from "@mainstay/embedded-postgres";
import ipaddr from "ipaddr.js";
import type { Config } from "./config.ts";

/** Whether only programs of this machine reach an address to listen on. Of names only `localhost` is known to. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  if (/^localhost\.?$/i.test(bare)) return true;
  // Without the interface that may stand behind an address.
  const text = bare.replace(/%.*$/, "");
  return ipaddr.isValid(text) && ipaddr.process(text).range() === "loopback";
}

type Exposed = Pick<Config, "host" | "publicUrl">;

/** Whether people come from elsewhere: to where it listens, or by way of a proxy. */
export const isBeyondMachine = ({ host, publicUrl }: Exposed): boolean =>
  !isLoopback(host) || (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname));

/** Whether what they say, passwords and sessions among it, can be read on the way. */
export const travelsReadable = (config: Exposed): boolean =>
  isBeyondMachine(config) && !config.publicUrl?.startsWith("https:");

/**
 * A server that everybody may write to starts beyond this machine only when somebody has said under which address, and
 * that they want it: whoever reaches it has it connect wherever they say.
 */
export function refuseOpenWriting(
  config: Exposed & Pick<Config, "checkerOnly" | "checkerWrite" | "checkerWriteAnyone">,
): void {
  if (!config.checkerOnly || !config.checkerWrite || !isBeyondMachine(config)) return;
  if (config.publicUrl !== undefined && config.checkerWriteAnyone) return;
  const where = isLoopback(config.host) ? config.publicUrl : config.host;
  throw new StartupError(
    `--checker-write at ${where} lets everybody who reaches it change the checks without signing in. Listen on this machine only (HOST=127.0.0.1), leave --checker-write out, or say that you want it with CHECKER_WRITE_ANYONE=true and PUBLIC_URL.`,
  );
}
