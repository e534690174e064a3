import { askSsh, openSsh, type SshOptions, type SshTarget } from "./open-ssh.ts";

/** Bytes of what is written beside the output. */
const mostErrors = 65_536;

/** Runs a text of ours with the shell of another machine. @throws Error when it writes more than `mostOutput` bytes */
export async function runOverSsh(
  target: SshTarget,
  script: string,
  { mostOutput, ...options }: SshOptions & { mostOutput: number },
): Promise<{ stdout: string; stderr: string }> {
  const ssh = await openSsh(target, options);
  try {
    return await askSsh<{ stdout: string; stderr: string }>(ssh, options.signal, (done) => {
      const nothing = { stdout: "", stderr: "" };
      ssh.client.exec("sh -s", (error, channel) => {
        if (error) return done(error, nothing);
        const output = collect(mostOutput);
        const errors = collect(mostErrors);
        channel.on("data", output.add);
        channel.stderr.on("data", errors.add);
        channel.on("close", () =>
          output.isCut()
            ? done(new Error(`${ssh.place} wrote more than ${mostOutput} bytes.`), nothing)
            : done(undefined, { stdout: output.text(), stderr: errors.text() }),
        );
        channel.end(`${script}\n`);
        return undefined;
      });
    });
  } finally {
    ssh.close();
  }
}

function collect(most: number) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    add: (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= most) chunks.push(chunk);
    },
    isCut: () => bytes > most,
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}
