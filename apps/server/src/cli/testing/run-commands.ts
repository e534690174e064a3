import { runProgram } from "../run-program.ts";
import type { Asked, Told } from "./start-command-host.ts";

/** The other side of `startCommandHost`: runs one command after the other in this process, each as if it had begun with it. */

async function run({ args, env }: Asked): Promise<Told> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.exitCode = 0;
  const said = { stdout: "", stderr: "" };
  const { stdout, stderr } = process;
  const own = { stdout: stdout.write, stderr: stderr.write };
  for (const name of ["stdout", "stderr"] as const)
    process[name].write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      said[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      const done = rest.find((one) => typeof one === "function");
      if (done) process.nextTick(done);
      return true;
    };
  try {
    await runProgram(args);
  } finally {
    stdout.write = own.stdout;
    stderr.write = own.stderr;
  }
  return { ...said, code: process.exitCode };
}

process.on("message", (asked: Asked) => {
  void run(asked).then(
    (told) => process.send!(told),
    (error: unknown) => {
      throw error;
    },
  );
});
