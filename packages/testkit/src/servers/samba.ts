import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
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

export interface SambaServer {
  port: number;
  /** Folders of it that it shares: everybody who may sign in reads them. */
  shares: Record<string, string>;
  username: string;
  password: string;
  stop(): Promise<void>;
}

export interface SambaOptions {
  /** Names of shares, with settings of their own. */
  shares: Readonly<Record<string, readonly string[]>>;
  /** Settings for all of it. */
  settings?: readonly string[];
}

/** A user of every Debian, since Samba knows only users that the machine knows. */
const username = "daemon";

/** A real Samba, which wants everything signed; undefined when it is not installed or may not be started. */
export async function startSamba({
  shares,
  settings = [],
}: SambaOptions): Promise<SambaServer | undefined> {
  const program = findProgram("smbd");
  const passwords = findProgram("smbpasswd");
  if (!program || !passwords || process.getuid?.() !== 0) return undefined;
  const folder = temporaryFolder("samba");
  chmodSync(folder, 0o755);
  const password = 'sesame; "secret" ü';
  const port = await freePort();
  const own = (name: string) => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  };
  const shared = Object.fromEntries(Object.keys(shares).map((name) => [name, own(name)]));
  const state = own("server-state");
  const config = join(folder, "smb.conf");
  writeFileSync(
    config,
    [
      "[global]",
      "server role = standalone server",
      "bind interfaces only = yes",
      "interfaces = 127.0.0.1/8",
      `smb ports = ${port}`,
      "disable netbios = yes",
      "server signing = mandatory",
      "load printers = no",
      "disable spoolss = yes",
      "printcap name = /dev/null",
      `log file = ${join(state, "log")}`,
      ...[
        "private dir",
        "state directory",
        "cache directory",
        "lock directory",
        "pid directory",
        "ncalrpc dir",
      ].map((name) => `${name} = ${state}`),
      ...settings,
      ...Object.entries(shared).flatMap(([name, path]) => [
        `[${name}]`,
        `path = ${path}`,
        ...(shares[name] ?? []),
      ]),
      "",
    ].join("\n"),
  );
  runProgram(passwords, ["-c", config, "-s", "-a", username], {
    input: `${password}\n${password}\n`,
  });
  const running = await startProgram({
    program,
    args: ["--foreground", "--no-process-group", "--debug-stdout", `--configfile=${config}`],
    isReady: () => acceptsOn(port),
    hasChildren: true,
  });
  return {
    port,
    shares: shared,
    username,
    password,
    async stop() {
      await running.stop();
      removeFolder(folder);
    },
  };
}
