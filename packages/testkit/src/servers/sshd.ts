import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import {
  acceptsOn,
  findProgram,
  removeFolder,
  runProgram,
  startProgram,
  temporaryFolder,
} from "./program.ts";

export interface SshServer {
  port: number;
  /** The private key that may sign in as the user that started it. */
  key: string;
  stop(): Promise<void>;
}

/** A real OpenSSH server for the user that starts it; undefined when it is not installed. */
export async function startSshd(): Promise<SshServer | undefined> {
  const program = findProgram("sshd");
  const keygen = findProgram("ssh-keygen");
  if (!program || !keygen) return undefined;
  // It wants this to be there, whoever it runs as; a package leaves it to the service to make.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true });
  const folder = temporaryFolder("sshd");
  const file = (name: string) => join(folder, name);
  for (const name of ["host", "user"])
    runProgram(keygen, ["-q", "-t", "ed25519", "-N", "", "-f", file(name)]);
  writeFileSync(file("allowed"), readFileSync(file("user.pub")));
  const port = await freePort();
  writeFileSync(
    file("config"),
    [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${file("host")}`,
      `PidFile ${file("pid")}`,
      `AuthorizedKeysFile ${file("allowed")}`,
      "StrictModes no",
      "UsePAM no",
      "PasswordAuthentication no",
      "PermitRootLogin prohibit-password",
      "",
    ].join("\n"),
  );
  const running = await startProgram({
    program,
    args: ["-D", "-e", "-f", file("config")],
    isReady: () => acceptsOn(port),
  });
  return {
    port,
    key: readFileSync(file("user"), "utf8"),
    async stop() {
      await running.stop();
      removeFolder(folder);
    },
  };
}
