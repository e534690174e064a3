import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Asked {
  args: readonly string[];
  env: NodeJS.ProcessEnv;
}
export interface Told {
  code: number;
  stdout: string;
  stderr: string;
}

export interface CommandHost {
  run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Told>;
  end(): Promise<void>;
}

/**
 * One process that runs commands one after the other: for tests of what a command does, most of whose time would go into
 * starts. Not for what a process is: its arguments as they are refused, its signals, its standard input.
 */
export function startCommandHost(): CommandHost {
  const child = fork(fileURLToPath(new URL("run-commands.ts", import.meta.url)), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  let last: Promise<unknown> = Promise.resolve();
  const ask = async (asked: Asked): Promise<Told> => {
    const told = once(child, "message");
    child.send(asked);
    const [answer] = (await Promise.race([
      told,
      ended.then(([code]) => {
        throw new Error(
          `the process of the commands ended with ${code} at ${asked.args.join(" ")}`,
        );
      }),
    ])) as [Told];
    return { ...answer, stdout: answer.stdout.trimEnd(), stderr: answer.stderr.trimEnd() };
  };
  return {
    run(args, env) {
      const told = last.then(() => ask({ args, env }));
      last = told.catch(() => undefined);
      return told;
    },
    async end() {
      child.disconnect();
      await ended;
    },
  };
}
