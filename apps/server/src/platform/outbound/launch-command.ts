import { readFile } from "node:fs/promises";

const MEBIBYTE = 1024 * 1024;

/** What one script may take at most. */
const limits = {
  // Processes and threads together, as the kernel counts them: room for a pipeline and one program with many threads.
  nproc: 256,
  // Memory that a single process may write to (RLIMIT_DATA); what is only reserved does not count. The scripts of
  // a document are no programs that keep gigabytes.
  data: 2048 * MEBIBYTE,
  // A single file. More than any script needs to keep, less than fills an ordinary disk at once.
  fsize: 1024 * MEBIBYTE,
  // What Linux itself starts programs with (INR_OPEN_CUR).
  nofile: 1024,
  // An image of its memory helps nobody and may hold secrets.
  core: 0,
} as const;
/** A shared number's processes count together: so many more than there are on the machine now. */
const moreProcesses = 256;

/** The names of the limits in /proc/self/limits. */
const names: Record<string, string> = {
  nproc: "Max processes",
  data: "Max data size",
  fsize: "Max file size",
  nofile: "Max open files",
  core: "Max core file size",
};

/** As options of `prlimit`. Ours are never higher than those we are under: raising them is a right that containers lack. */
async function limitOptions(wanted: Record<string, number>): Promise<string[]> {
  const own = await readFile("/proc/self/limits", "utf8");
  return Object.entries(wanted).map(([key, value]) => {
    const hard = new RegExp(`^${names[key]}\\s+\\S+\\s+(\\d+)`, "m").exec(own)?.[1];
    return `--${key}=${hard === undefined ? value : Math.min(value, Number(hard))}`;
  });
}

/**
 * Takes over what the document says only after the change of user: names such as LD_PRELOAD would otherwise be obeyed
 * by programs that still run as we do. When memory runs out the kernel shall choose a script before the server.
 */
const shell = [
  "/bin/sh",
  "-c",
  'echo 1000 2>/dev/null >/proc/self/oom_score_adj; . "$1"; shift; exec "$@"',
  "sh",
];

/** What is started, and the file with its variables. */
export interface Launched {
  environmentFile: string;
  command: readonly string[];
}

/** The command line that runs something as a user number of its own: no rights, no groups, no way to get any. */
export async function asNumber(uid: number, { environmentFile, command }: Launched) {
  return [
    "prlimit",
    ...(await limitOptions(limits)),
    // No queues of messages: they outlive the run.
    "--msgqueue=0",
    "setpriv",
    `--reuid=${uid}`,
    `--regid=${uid}`,
    "--clear-groups",
    "--inh-caps=-all",
    "--ambient-caps=-all",
    "--bounding-set=-all",
    "--no-new-privs",
    "--pdeathsig=KILL",
    ...shell,
    environmentFile,
    ...command,
  ];
}

/** The same without another user; `hasTools` where util-linux is there. */
export async function asOurselves(
  hasTools: boolean,
  { environmentFile, command }: Launched,
): Promise<string[]> {
  if (!hasTools) return [...shell, environmentFile, ...command];
  // "0.20 0.18 0.12 1/80 11206": the number after the slash is that of all processes and threads.
  const load = await readFile("/proc/loadavg", "utf8");
  const running = Number(/\/(\d+) /.exec(load)?.[1] ?? 0);
  return [
    "prlimit",
    ...(await limitOptions({ ...limits, nproc: running + moreProcesses })),
    "setpriv",
    "--no-new-privs",
    "--pdeathsig=KILL",
    ...shell,
    environmentFile,
    ...command,
  ];
}
