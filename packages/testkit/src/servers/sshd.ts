import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
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
  /** Who may sign in, with which key. */
  username: string;
  key: string;
  /** Of the server: its key, and the print of it. */
  hostKey: string;
  fingerprint: string;
  stop(): Promise<void>;
}

/** A real OpenSSH server with SFTP for whoever runs the tests; undefined when `sshd` is not installed. */
export async function startSshd(): Promise<SshServer | undefined> {
  const program = findProgram("sshd");
  const keygen = findProgram("ssh-keygen");
  if (!program || !keygen) return undefined;
  const folder = temporaryFolder("sshd");
  const { username, uid } = userInfo();
  // Where it separates its privileges, which only root does.
  if (uid === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  for (const name of ["host", "user"])
    runProgram(keygen, ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, name)]);
  const port = await freePort();
  const config = join(folder, "config");
  writeFileSync(
    config,
    [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${join(folder, "host")}`,
      `AuthorizedKeysFile ${join(folder, "user.pub")}`,
      `PidFile ${join(folder, "pid")}`,
      "StrictModes no",
      "UsePAM no",
      "PermitRootLogin yes",
      "PasswordAuthentication yes",
      "Subsystem sftp internal-sftp",
      "",
    ].join("\n"),
  );
  const running = await startProgram({
    program,
    args: ["-D", "-e", "-f", config],
    isReady: () => acceptsOn(port),
  });
  const publicKey = readFileSync(join(folder, "host.pub"), "utf8");
  return {
    port,
    username,
    key: readFileSync(join(folder, "user"), "utf8"),
    hostKey: publicKey.split(" ")[1] ?? "",
    fingerprint:
      runProgram(keygen, ["-l", "-E", "sha256", "-f", join(folder, "host.pub")]).split(" ")[1] ??
      "",
    async stop() {
      await running.stop();
      removeFolder(folder);
    },
  };
}
