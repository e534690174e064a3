import type { Settings } from "./config.ts";

/**
 * Takes our secrets out of the environment and the command line once they are read: what we start could inherit the
 * one, and everybody on the machine can read the other.
 */
export function forgetSecrets(
  settings: Settings,
  flags: readonly string[] = process.argv.slice(2),
): void {
  const secrets = Object.values(settings).filter((row) => row.isSecret);
  for (const { env } of secrets) delete process.env[env];
  const isGiven = (flag: string) =>
    flags.some((word) => word === flag || word.startsWith(`${flag}=`));
  // Written over the place where the system keeps the command line.
  if (secrets.some(({ flag }) => isGiven(flag))) process.title = "mainstay";
}
