import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { findProgram, removeFolder, startProgram, temporaryFolder } from "./program.ts";

export interface MonitoringServer {
  port: number;
  stop(): Promise<void>;
}

interface Options {
  /** Whom alone it answers; `hash` is the password as bcrypt. */
  login?: { username: string; password: string; hash: string };
}

async function start(
  program: string,
  name: string,
  { config, login, argsFor }: Options & { config: string; argsFor: (folder: string) => string[] },
): Promise<MonitoringServer> {
  const folder = temporaryFolder(name);
  const port = await freePort();
  writeFileSync(join(folder, "config.yml"), config);
  writeFileSync(
    join(folder, "web.yml"),
    login ? `basic_auth_users:\n  ${login.username}: "${login.hash}"\n` : "{}\n",
  );
  const address = `127.0.0.1:${port}`;
  const headers: Record<string, string> = login
    ? { authorization: `Basic ${btoa(`${login.username}:${login.password}`)}` }
    : {};
  const running = await startProgram({
    program,
    args: [
      `--config.file=${folder}/config.yml`,
      `--web.config.file=${folder}/web.yml`,
      `--web.listen-address=${address}`,
      ...argsFor(folder),
    ],
    cwd: folder,
    // Whoever is not let in is refused before it is ready, too: only the one who is learns it.
    isReady: () =>
      fetch(`http://${address}/-/ready`, { headers }).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
  return {
    port,
    async stop() {
      await running.stop();
      removeFolder(folder);
    },
  };
}

/** A real Prometheus that watches itself; undefined when it is not installed. */
export async function startPrometheus(
  options: Options = {},
): Promise<MonitoringServer | undefined> {
  const program = findProgram("prometheus");
  if (!program) return undefined;
  return start(program, "prometheus", {
    ...options,
    config: "global: { scrape_interval: 1s }\n",
    argsFor: (folder) => [`--storage.tsdb.path=${folder}/data`],
  });
}

/** A real Alertmanager that tells nobody; undefined when it is not installed. */
export async function startAlertmanager(
  options: Options = {},
): Promise<MonitoringServer | undefined> {
  const program = findProgram("prometheus-alertmanager");
  if (!program) return undefined;
  return start(program, "alertmanager", {
    ...options,
    config: "route: { receiver: nobody }\nreceivers: [{ name: nobody }]\n",
    argsFor: (folder) => [`--storage.path=${folder}/data`, "--cluster.listen-address="],
  });
}
