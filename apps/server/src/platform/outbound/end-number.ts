import { runHelper } from "./run-as.ts";

const attempts = 2;
const helperMs = 2000;

/**
 * Ends every process of a user number. The signal is sent by a helper of the same number: the kernel delivers it to all
 * of them in one step during which none of them can fork, so that no chain of processes runs away from it. Whoever
 * ends the helper before it gets there is met by one that the number may not signal.
 */
export async function endNumber(uid: number, keeper: number): Promise<void> {
  // A signal to everybody as root would be the end of the machine.
  if (!(uid > 0) || !(keeper > 0) || uid === keeper) throw new Error(`${uid} is no number to end.`);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { code } = await runHelper(["/bin/sh", "-c", "kill -9 -1; :"], {
      uid,
      timeoutMs: helperMs,
    });
    if (code === 0) return;
  }
  const { code, said } = await runHelper(unreachableHelper(uid, keeper), { timeoutMs: helperMs });
  if (code !== 0) throw new Error(`The processes of the user number ${uid} did not end: ${said}`);
}

/**
 * A process whose real and saved number is the keeper's takes on the other number only as its effective one: it may
 * signal that number's processes, and none of them may signal it.
 */
function unreachableHelper(uid: number, keeper: number): [string, ...string[]] {
  // To set the effective number; and to start our Node wherever it lies.
  const capabilities = "-all,+setuid,+dac_read_search";
  return [
    "setpriv",
    `--reuid=${keeper}`,
    `--regid=${keeper}`,
    "--clear-groups",
    `--inh-caps=${capabilities}`,
    `--ambient-caps=${capabilities}`,
    `--bounding-set=${capabilities}`,
    "--no-new-privs",
    process.execPath,
    "-e",
    `process.seteuid(${uid}); process.kill(-1, "SIGKILL");`,
  ];
}
