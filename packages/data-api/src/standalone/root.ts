import type { IncomingMessage } from "node:http";
import sql from "sql-template-tag";
import type { DataApi } from "../engine.ts";
import { ApiError } from "../errors.ts";
import { openApiDocument, type Place, type Usable } from "../openapi/document.ts";
import { contentTypeOf, parseAccept } from "../parse/accept.ts";
import type { DataApiResponse } from "../respond.ts";
import type { Schema } from "../schema/schema.ts";
import type { ServeOptions } from "./options.ts";
import type { Session } from "./transaction.ts";

export interface RootRequest {
  request: IncomingMessage;
  query: string;
  body: Buffer;
  api: DataApi<undefined>;
  session: Session;
}

/** Answers at `/`: what may be used, or what a function of the database says. */
export async function answerRoot(
  { request, query, body, api, session }: RootRequest,
  options: ServeOptions,
): Promise<DataApiResponse> {
  const { method = "GET", headers } = request;
  if (method === "OPTIONS")
    return { status: 200, headers: { allow: "OPTIONS,GET,HEAD" }, body: "" };
  if (method !== "GET" && method !== "HEAD")
    throw new ApiError(405, "PGRST117", `Unsupported HTTP method: ${method}`);
  if (options.dbRootSpec !== undefined) {
    return api.handle({
      method,
      path: `rpc/${options.dbRootSpec.split(".").at(-1) ?? ""}`,
      query,
      headers,
      body,
      can: () => true,
      read: session.read,
      write: session.write,
    });
  }
  if (options.openapiMode === "disabled")
    throw new ApiError(404, "PGRST126", "Root endpoint metadata is disabled");
  const shape = parseAccept(headers.accept, { plan: false, openApi: true });
  if (shape.kind !== "openapi") {
    throw new ApiError(
      406,
      "PGRST107",
      `None of these media types are available: ${headers.accept ?? ""}`,
    );
  }
  const schema = api.schema();
  if (!schema) throw new Error("data API: the schema is not there after loading it.");
  const usable =
    options.openapiMode === "ignore-privileges"
      ? usableByAll(schema)
      : await usableByRole(schema, session);
  const document = openApiDocument(schema, placeOf(request, options), usable);
  return {
    status: 200,
    headers: { "content-type": contentTypeOf(shape) },
    body: JSON.stringify(document),
  };
}

function usableByAll({ tables }: Schema<undefined>): Usable {
  return {
    table: (name) => ({ read: true, verbs: tables.get(name)?.declaration.verbs ?? [] }),
    function: () => true,
  };
}

/** What the request's role has any privilege on. */
async function usableByRole(schema: Schema<undefined>, session: Session): Promise<Usable> {
  const [row] = await session.read(
    sql`
      select (
        select json_agg(c.relname) from pg_class c
         where c.relnamespace = n.oid and (
           pg_has_role(c.relowner, 'USAGE')
           or has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
           or has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))
           and c.relkind in ('r', 'p', 'v', 'm', 'f')
      )::text as tables, (
        select json_agg(p.proname) from pg_proc p
         where p.pronamespace = n.oid and has_function_privilege(p.oid, 'EXECUTE')
      )::text as functions
      from pg_namespace n where n.nspname = ${schema.name}`,
    { timeoutMs: 30_000, isCostly: false },
  );
  const names = (value: unknown) =>
    new Set(typeof value === "string" ? (JSON.parse(value) as string[]) : []);
  const [tables, functions] = [names(row?.["tables"]), names(row?.["functions"])];
  const all = usableByAll(schema);
  return {
    table: (name) => (tables.has(name) ? all.table(name) : undefined),
    function: (name) => functions.has(name),
  };
}

function placeOf({ socket }: IncomingMessage, options: ServeOptions): Place {
  const { openapiServerProxyUri, openapiSecurityActive: secured, serverHost } = options;
  const version = "16.2";
  if (openapiServerProxyUri === undefined) {
    const host = `${serverHost}:${socket.localPort ?? options.serverPort}`;
    return { version, host, basePath: "/", scheme: "http", secured };
  }
  const { protocol, hostname, port, pathname } = new URL(openapiServerProxyUri);
  const isSecure = protocol === "https:";
  return {
    version,
    host: `${hostname}:${port === "" ? (isSecure ? 443 : 80) : port}`,
    basePath: pathname,
    scheme: isSecure ? "https" : "http",
    secured,
  };
}
