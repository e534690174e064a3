import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { SavedDocument } from "@mainstay/contract";
import { StartupError } from "@mainstay/embedded-postgres";
import { groundSettings, readSettings } from "#platform/config.ts";

export interface ServerFlags {
  server?: string;
  token?: string;
  dataDir?: string;
}

export interface ServerAccess {
  server: string;
  token: string;
}

const TIMEOUT_MS = 60_000;

/** Where `mainstay login` remembers its session. */
export const loginFile = (): string =>
  join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "mainstay/login.json");

/**
 * Which server a command talks to and as whom: flags, then the environment, then the session of `mainstay login`, then
 * the server that runs on this machine under the same user.
 */
export function findServer(flags: ServerFlags): ServerAccess {
  const server = flags.server ?? process.env.MAINSTAY_SERVER;
  const token = flags.token ?? process.env.MAINSTAY_TOKEN;
  if (server && token) return { server: origin(server), token };
  // Of the program's own settings alone: with those of the features come all of the features.
  const { dataDir } = readSettings(groundSettings, { dataDir: flags.dataDir }, process.env);
  const local = () => readAccess(join(dataDir, "server.json"));
  // A directory that is named means the server that runs there.
  const known = flags.dataDir ? local() : (rememberedFor(server) ?? local());
  if (known && (!server || origin(server) === known.server))
    return { ...known, ...(token ? { token } : {}) };
  if (server)
    throw new StartupError(
      `No session for ${server}. Sign in first: mainstay login --server ${server} --email YOU`,
    );
  throw new StartupError(
    `No running server was found in ${dataDir}. Start one (mainstay serve), or name one with --server and sign in with mainstay login.`,
  );
}

function rememberedFor(server: string | undefined): ServerAccess | undefined {
  const remembered = readAccess(loginFile());
  return !server || remembered?.server === origin(server) ? remembered : undefined;
}

export function origin(address: string): string {
  try {
    return new URL(address).origin;
  } catch {
    throw new StartupError(
      `--server must be an address such as http://127.0.0.1:3100 (it is ${JSON.stringify(address)})`,
    );
  }
}

function readAccess(file: string): ServerAccess | undefined {
  try {
    const { server, token } = JSON.parse(readFileSync(file, "utf8")) as Partial<ServerAccess>;
    return server && token ? { server, token } : undefined;
  } catch {
    return undefined;
  }
}

export function rememberLogin(access: ServerAccess): void {
  mkdirSync(dirname(loginFile()), { recursive: true, mode: 0o700 });
  rmSync(loginFile(), { force: true });
  writeFileSync(loginFile(), JSON.stringify(access), { mode: 0o600, flag: "wx" });
}

export interface ServerError {
  error?: string;
  message?: string;
  issues?: { path: string; message: string; line?: number; column?: number }[];
  /** Of a dry run that is refused: what would become of the others. */
  documents?: SavedDocument[];
}

/** A refusal by the server, with its own words. */
export class RefusedError extends StartupError {
  readonly status: number;
  readonly body: ServerError;

  constructor(status: number, body: ServerError, text: string) {
    super(body.error ?? body.message ?? (text.slice(0, 500) || `the server answered ${status}`));
    this.status = status;
    this.body = body;
  }
}

/** One request with JSON in (or documents, as text) and out. Rejects with a line fit for the terminal. */
export async function ask<Answer>(
  access: Pick<ServerAccess, "server"> & Partial<ServerAccess>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  let reply: Response;
  let text: string;
  try {
    reply = await fetch(access.server + path, {
      method,
      headers: {
        accept: "application/json",
        prefer: "return=representation",
        ...bearer(access),
        ...(body === undefined
          ? {}
          : { "content-type": typeof body === "string" ? "application/yaml" : "application/json" }),
      },
      body: typeof body === "string" || body === undefined ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    text = await reply.text();
  } catch (cause) {
    throw unreachable(access, cause as Error);
  }
  if (!reply.ok) throw refusal(access, reply.status, text);
  const parsed = parse(text);
  if (parsed === undefined && text !== "")
    throw new StartupError(`What answers at ${access.server} is not a Mainstay server.`);
  return parsed as Answer;
}

/** Fetches what is no JSON, piece by piece; takes as long as it takes. Rejects as `ask` does, also in the middle. */
export async function* download(access: ServerAccess, path: string): AsyncGenerator<Uint8Array> {
  let reply: Response;
  try {
    reply = await fetch(access.server + path, { headers: { ...bearer(access) } });
  } catch (cause) {
    throw unreachable(access, cause as Error);
  }
  if (!reply.ok) throw refusal(access, reply.status, await reply.text());
  try {
    if (reply.body) yield* reply.body;
  } catch {
    throw new StartupError(`What ${access.server} sent ended half-way. Its log says why.`);
  }
}

const bearer = ({ token }: Partial<ServerAccess>) =>
  token ? { authorization: `Bearer ${token}` } : undefined;

const unreachable = ({ server }: Pick<ServerAccess, "server">, { message, cause }: Error) =>
  new StartupError(
    `${server} cannot be reached: ${cause instanceof Error ? cause.message : message}`,
  );

function refusal(
  { server }: Pick<ServerAccess, "server">,
  status: number,
  text: string,
): StartupError {
  const parsed = parse(text) as ServerError | undefined;
  if (status !== 401) return new RefusedError(status, parsed ?? {}, text);
  // Of an access token the server says what is wrong with it; a session has ended.
  const tokenError = /access token/.exec(parsed?.error ?? "") && parsed?.error;
  return new StartupError(
    tokenError
      ? `${server} says: ${tokenError}. Make a new one in the console and pass it with --token or MAINSTAY_TOKEN.`
      : `The session for ${server} is not valid any more. Sign in again: mainstay login --server ${server} --email YOU`,
  );
}

function parse(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
