import { spawn } from "node:child_process";

export interface HelperEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  said: string;
}

/** Of what a helper says, in characters. */
const keptWords = 2000;

/**
 * Runs a small shell text of ours to its end, as a user number when one is given, with nothing of our environment.
 * Never throws for what it does; what it said and how it ended comes back.
 */
export function runHelper(
  [program, ...args]: readonly [string, ...string[]],
  { uid, timeoutMs }: { uid?: number; timeoutMs: number },
): Promise<HelperEnd> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: "/",
      env: { PATH: trustedPath },
      // Node gives up all other groups with this.
      ...(uid !== undefined && { uid, gid: uid }),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        if (said.length < keptWords) said += text;
      });
    }
    const deadline = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    const settle = (end: Omit<HelperEnd, "said">) => {
      clearTimeout(deadline);
      resolve({ ...end, said: said.trim().slice(0, keptWords) });
    };
    child.once("error", (error) => {
      said += error.message;
      settle({ code: null, signal: null });
    });
    child.once("close", (code, signal) => settle({ code, signal }));
  });
}

/** Where programs of the system lie; what the path of whoever started us adds is not asked for help. */
export const trustedPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
