import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import pg from "pg";
import type { Pool } from "../connection.ts";
import { leanPool } from "../driver.ts";
import { createDataApi, type DataApi } from "../engine.ts";
import { ApiError, PlainError } from "../errors.ts";
import type { Stage } from "../request.ts";
import { type DataApiResponse, respondToRefusal } from "../respond.ts";
import { fromPgError, isPgError } from "../sql-state.ts";
import { createVerifier, type Identity } from "./claims.ts";
import { corsHeaders, isPreflight, preflight } from "./cors.ts";
import type { ServeOptions } from "./options.ts";
import { answerRoot } from "./root.ts";
import { createSchemaWatch } from "./schema-watch.ts";
import { createSessions, type Frame, type RoleSettings, type Session } from "./transaction.ts";

export interface StandaloneServer {
  /** Where it listens: an address, or the path of a socket. */
  address: string;
  stop(): Promise<void>;
}

/** Bytes of a body; the database refuses a value of a gigabyte anyway. */
const longestBody = 64 * 1024 * 1024;

const methods = new Set(["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"]);

/** Starts the data API of a database, with PostgREST's meaning of every option. Rejects when it cannot begin. */
export async function startServer(options: ServeOptions): Promise<StandaloneServer> {
  const log = (level: "error" | "info", message: string) => {
    const shown = { crit: 0, error: 1, warn: 1, info: 2, debug: 2 }[options.logLevel];
    if (shown >= (level === "error" ? 1 : 2)) process.stderr.write(`${message}\n`);
  };
  const verifier = await createVerifier(options);
  const pool = new pg.Pool({
    connectionString: options.dbUri,
    max: options.dbPool,
    connectionTimeoutMillis: options.dbPoolAcquisitionTimeout * 1000,
    application_name: "data-api",
    // Names in what the catalog says are whole; each request sets its own path.
    options: "-c search_path=",
  });
  // A connection that is lost, idle or in use, is replaced when one is wanted; unheard, it would end the process.
  const lost = (error: Error) => log("error", `A database connection was lost: ${error.message}`);
  pool.on("connect", (client) => client.on("error", lost));
  pool.on("error", () => undefined);
  let roleSettings: RoleSettings = new Map();
  const lean = leanPool(pool);
  const sessions = createSessions(lean, () => roleSettings);
  const apis = new Map(options.dbSchemas.map((schema) => [schema, openApi(lean, schema, options)]));

  async function load(): Promise<void> {
    await Promise.all([...apis.values()].map((api) => api.reload()));
    roleSettings = await readRoleSettings(pool);
  }

  await load();
  const watch = createSchemaWatch(options, load, log);
  await watch.start();

  async function answer(request: IncomingMessage): Promise<DataApiResponse & Extra> {
    const timing = createTiming();
    const identity = await verifier.identify(request.headers.authorization);
    timing.mark("jwt");
    const { method = "GET" } = request;
    if (!methods.has(method))
      throw new ApiError(405, "PGRST117", `Unsupported HTTP method: ${method}`);
    const profile = profileOf(request, options.dbSchemas);
    const api = apis.get(profile);
    if (!api) throw new Error(`data API: there is none for the schema ${profile}.`);
    const [path, query] = splitUrl(request.url ?? "/");
    const session = sessions.open(frameOf(request, path, profile, identity, options));
    const body = await readBody(request);
    const whole = { request, query, body, session, api };
    const response =
      path === "/"
        ? await answerRoot(whole, options)
        : await api.handle({
            method,
            path: targetOf(path),
            query,
            headers: request.headers,
            body,
            can: () => true,
            read: session.read,
            write: session.write,
            writeAlone: session.writeAlone,
            mark: timing.mark,
          });
    if (identity.isAnonymous && isWithoutPrivilege(response)) {
      response.status = 401;
      response.headers["www-authenticate"] = "Bearer";
    }
    timing.mark("response");
    if (method === "OPTIONS" && response.status === 200 && !options.serverCorsAllowedOrigins)
      response.headers["access-control-allow-origin"] = "*";
    const isTyped = response.headers["content-type"] !== undefined;
    if (options.dbSchemas.length > 1 && isTyped && isAnswered(response))
      response.headers["content-profile"] = profile;
    if (options.serverTimingEnabled) response.headers["server-timing"] = timing.header();
    return { ...response, session };
  }

  const server = createServer((request, response) => {
    const cors = corsHeaders(request, options.serverCorsAllowedOrigins);
    const reply = isPreflight(request)
      ? Promise.resolve(preflight(request))
      : answer(request).catch((error: unknown) => refusal(error, log));
    reply
      .then((answered) => send(request, response, answered, cors))
      .catch((error: unknown) => {
        log("error", `The answer could not be sent: ${String(error)}`);
        response.destroy();
      });
  });
  server.requestTimeout = 120_000;
  const address = await listen(server, options);
  return {
    address,
    async stop() {
      await watch.stop();
      server.close();
      server.closeIdleConnections();
      await new Promise<void>((resolve) => {
        if (server.listening) server.once("close", () => resolve());
        else resolve();
      });
      await pool.end();
    },
  };
}

interface Extra {
  session?: Session;
}

function openApi(pool: Pool, schema: string, options: ServeOptions): DataApi<undefined> {
  return createDataApi<undefined>({
    pool,
    schema,
    tables: "all",
    extraSchemas: options.dbExtraSearchPath.filter((extra) => extra !== schema),
    maxRows: options.dbMaxRows ?? Number.POSITIVE_INFINITY,
    maxBytes: (options.dbCostLimits ? 64 : 1024) * 1024 * 1024,
    limitsCosts: options.dbCostLimits,
    statementTimeoutMs: 0,
    errors: "whole",
    tellsSettings: true,
    aggregates: options.dbAggregatesEnabled,
    plan: options.dbPlanEnabled,
    txEnd: options.dbTxEnd.startsWith("rollback") ? "rollback" : "commit",
    txOverride: options.dbTxEnd.endsWith("override"),
  });
}

/** `alter role ... set`, where a role may set it for itself. */
async function readRoleSettings(pool: pg.Pool): Promise<RoleSettings> {
  const { rows } = await pool.query<{ role: string; name: string; value: string }>(`
    select r.rolname as role, split_part(c, '=', 1) as name, substr(c, strpos(c, '=') + 1) as value
      from pg_db_role_setting s
      join pg_roles r on r.oid = s.setrole
      join pg_database d on d.datname = current_database()
      cross join unnest(s.setconfig) c
      join pg_settings g on g.name = split_part(c, '=', 1) and g.context = 'user'
     where s.setdatabase in (0, d.oid)`);
  const settings = new Map<string, Map<string, string>>();
  for (const { role, name, value } of rows)
    settings.set(role, (settings.get(role) ?? new Map<string, string>()).set(name, value));
  return settings;
}

/** Who has not said who he is may be allowed more when he does. */
const isWithoutPrivilege = ({ status, headers }: DataApiResponse) =>
  status === 403 && headers["proxy-status"]?.endsWith("error=42501") === true;

/** What was asked for, or the range in which there are no rows: what an error says is of no schema. */
const isAnswered = ({ status, headers }: DataApiResponse) =>
  headers["content-range"] !== undefined || (status < 400 && headers["proxy-status"] === undefined);

/** The schema that a request means. */
function profileOf({ method, headers }: IncomingMessage, schemas: readonly string[]): string {
  const isRead = method === "GET" || method === "HEAD" || method === "OPTIONS";
  const header = headers[isRead ? "accept-profile" : "content-profile"];
  const [first = "public"] = schemas;
  if (header === undefined || schemas.length < 2) return first;
  const wanted = String(header);
  if (schemas.includes(wanted)) return wanted;
  throw new ApiError(406, "PGRST106", `Invalid schema: ${wanted}`, {
    hint: `Only the following schemas are exposed: ${schemas.join(", ")}`,
  });
}

function splitUrl(url: string): [path: string, query: string] {
  const mark = url.indexOf("?");
  return mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** A table's name or `rpc/name`. */
function targetOf(path: string): string {
  const parts = path.replace(/^\/|\/$/g, "").split("/");
  const isKnown = parts.length === 1 || (parts.length === 2 && parts[0] === "rpc");
  if (!isKnown) throw new ApiError(404, "PGRST125", "Invalid path specified in request URL");
  try {
    return parts.map(decodeURIComponent).join("/");
  } catch {
    throw new ApiError(404, "PGRST125", "Invalid path specified in request URL");
  }
}

function frameOf(
  { method = "GET", headers }: IncomingMessage,
  path: string,
  schema: string,
  { role, claims }: Identity,
  { dbExtraSearchPath, dbPreRequest, appSettings }: ServeOptions,
): Frame {
  const { cookie, authorization: _token, ...others } = headers;
  const cookies = (cookie ?? "").split(";").flatMap((pair) => {
    const equals = pair.indexOf("=");
    if (equals < 0) return pair.trim() === "" ? [] : [[pair.trim(), ""]];
    return [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]];
  });
  const searched = [schema, ...dbExtraSearchPath].map((name) => `"${name.replaceAll('"', '""')}"`);
  return {
    role,
    preRequest: dbPreRequest,
    settings: {
      search_path: searched.join(", "),
      ...appSettings,
      "request.jwt.claims": JSON.stringify(claims),
      "request.method": method,
      "request.path": path,
      "request.headers": JSON.stringify({ ...others, ...authorizationOf(headers) }),
      "request.cookies": JSON.stringify(Object.fromEntries(cookies)),
    },
  };
}

const authorizationOf = ({ authorization }: IncomingMessage["headers"]) =>
  authorization === undefined ? {} : { authorization };

const noBody = Buffer.alloc(0);

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const { headers } = request;
  if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined)
    return noBody;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > longestBody) {
      throw new ApiError(413, "PGRST102", `The body is longer than ${longestBody} bytes.`, {
        headers: { connection: "close" },
      });
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Milliseconds of each stage, as `Server-Timing` says them. */
function createTiming() {
  const spent: [stage: string, ms: number][] = [];
  let last = performance.now();
  return {
    mark(stage: Stage | "jwt") {
      const now = performance.now();
      spent.push([stage, now - last]);
      last = now;
    },
    header: () => spent.map(([stage, ms]) => `${stage};dur=${ms.toFixed(1)}`).join(", "),
  };
}

function refusal(error: unknown, log: (level: "error", message: string) => void): DataApiResponse {
  if (error instanceof ApiError || error instanceof PlainError)
    return respondToRefusal(error, "whole");
  if (isPgError(error)) return respondToRefusal(fromPgError(error, new Map(), "whole"), "whole");
  log("error", error instanceof Error ? (error.stack ?? error.message) : String(error));
  return respondToRefusal(
    new ApiError(500, "PGRSTX00", "The request could not be answered."),
    "whole",
  );
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, bytes, session }: DataApiResponse & Extra,
  cors: Record<string, string>,
): void {
  const said = isAnswered({ status, headers, body }) ? session?.said : undefined;
  response.statusCode = said?.status ?? status;
  for (const [name, value] of Object.entries({ ...headers, ...cors }))
    response.setHeader(name, value);
  // In place of ours, but beside each other.
  for (const [name] of said?.headers ?? []) response.removeHeader(name);
  for (const [name, value] of said?.headers ?? []) response.appendHeader(name, value);
  const isEmpty = response.statusCode === 204 || response.statusCode === 304;
  if (!isEmpty && request.method !== "HEAD")
    response.setHeader("content-length", bytes?.length ?? Buffer.byteLength(body ?? ""));
  response.end(isEmpty || request.method === "HEAD" ? undefined : (bytes ?? body ?? ""));
}

async function listen(server: Server, options: ServeOptions): Promise<string> {
  const { serverUnixSocket, serverHost, serverPort } = options;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (serverUnixSocket === undefined) server.listen(serverPort, serverHost, resolve);
    else server.listen(serverUnixSocket, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") return address ?? "";
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
