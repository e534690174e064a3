import type { Owner } from "./owner.ts";

/** Exit status we ask of `flock` when somebody else holds the lock (EX_TEMPFAIL of sysexits.h). */
export const LOCKED = 75;

/** Nothing of the caller's environment reaches PostgreSQL: an odd LANG once made SQL_ASCII clusters. */
export const cleanEnv = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
  LC_ALL: "C",
  TZ: "UTC",
};

/**
 * The command line that runs `command` as the database's account while it, or any child of it, holds the lock file.
 * When our main thread ends in any way the kernel sends it `onOurDeath`. Elsewhere than on Linux neither program
 * exists; PostgreSQL's own lock has to do there.
 */
export function lockedCommand(parts: {
  lockFile: string;
  owner: Owner | undefined;
  onOurDeath: "INT" | "KILL";
  command: string[];
}): [string, ...string[]] {
  const { lockFile, owner, onOurDeath, command } = parts;
  if (process.platform !== "linux") return command as [string, ...string[]];
  return [
    "flock",
    "-n",
    "-E",
    String(LOCKED),
    "-F",
    lockFile,
    "setpriv",
    "--pdeathsig",
    onOurDeath,
    ...(owner ? [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups"] : []),
    ...command,
  ];
}
