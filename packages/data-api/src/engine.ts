import { createReader, type Pool, type Queryable } from "./connection.ts";
import type { FunctionDeclaration, TableDeclaration } from "./declare.ts";
import { ApiError, forbidden, methodClosed, noSuchTable, PlainError } from "./errors.ts";
import { parseAccept } from "./parse/accept.ts";
import { parsePreferences } from "./parse/preferences.ts";
import { parseQuery, type Query } from "./parse/query.ts";
import { parseQueryString } from "./parse/query-string.ts";
import { intersectPaging, type Paging, parseRangeHeader } from "./parse/range.ts";
import type { CallPlan } from "./plan/plan.ts";
import { argumentsOfBody, argumentsOfQuery, planCall } from "./plan/plan-call.ts";
import { type Can, planRead, type PlanScope } from "./plan/plan-read.ts";
import { bodyText, type DataApiRequest, header, type Limits } from "./request.ts";
import { type DataApiResponse, respondToRead, respondToRefusal, toAnswer } from "./respond.ts";
import { readCatalog } from "./schema/catalog.ts";
import { type ApiFunction, buildSchema, type Schema, type Table } from "./schema/schema.ts";
import { callSql } from "./sql/call.ts";
import { type ReadOptions, readSql } from "./sql/read.ts";
import { fromPgError, isPgError } from "./sql-state.ts";
import { handleWrite } from "./write.ts";

/**
 * The data API: PostgREST's dialect of HTTP over declared tables.
 *
 * A request goes through four stages, each of which hands a plain value to the next:
 * - `parse/` reads the query string and headers into a `Query`; it knows grammar and limits, no names;
 * - `plan/` looks every name up in the `Schema` and asks `can` for every table; what does not exist outside or may not
 *   be read ends here;
 * - `sql/` turns a plan into one statement, in which PostgreSQL itself makes the JSON of the answer;
 * - `respond.ts` turns the one row that comes back into status, headers and body, without parsing it.
 *
 * Words: the *catalog* is what PostgreSQL knows; the *schema* is the declared part of it; a *relationship* joins two
 * tables by a foreign key, also through views; an *embed* is a relationship used in a request; a *hook* is the
 * program's own rule around a write.
 */
export interface DataApiOptions<Context> {
  /** Where reads run. Best under a database role that has no more than it needs. */
  pool: Pool;
  /**
   * The pool is used by nothing else. Then its connections keep the time limit and are read-only, and a read is one
   * round trip instead of three.
   */
  ownPool?: boolean;
  /** The database schema that is shown. */
  schema?: string;
  tables: readonly TableDeclaration<Context>[];
  functions?: readonly FunctionDeclaration[];
  /** Rows in one answer; an answer that is cut says so in `Content-Range`. */
  maxRows?: number;
  /** Length of one answer. */
  maxBytes?: number;
  statementTimeoutMs?: number;
  /** The moment that `now` means in `{column}.filter`. */
  now?: () => Date;
}

export interface DataApi<Context> {
  /** Reads the database's catalog. Rejects when a declaration does not fit it. */
  ready(): Promise<void>;
  /** Reads it again; requests go on with the old one until it is there. */
  reload(): Promise<void>;
  /** Answers a request. Rejects only with what a hook or the program's own transaction threw. */
  handle(request: DataApiRequest<Context>): Promise<DataApiResponse>;
}

export function createDataApi<Context>(options: DataApiOptions<Context>): DataApi<Context> {
  const {
    pool,
    schema: schemaName = "public",
    tables,
    functions = [],
    now = () => new Date(),
  } = options;
  const reader = createReader(pool, options.ownPool ?? false);
  let schema: Schema<Context> | undefined;
  let loading: Promise<void> | undefined;

  async function load(): Promise<void> {
    const names = functions.map((declaration) => declaration.name);
    const catalog = await reader.use((client) => readCatalog(client, schemaName, names));
    schema = buildSchema(schemaName, catalog, tables, functions);
  }

  function reload(): Promise<void> {
    loading = load().catch((cause: unknown) => {
      loading = undefined;
      throw cause;
    });
    return loading;
  }

  const ready = () => (schema ? Promise.resolve() : (loading ?? reload()));

  async function answer(
    request: DataApiRequest<Context>,
    known: Schema<Context>,
  ): Promise<DataApiResponse> {
    const limits: Limits = {
      maxRows: options.maxRows ?? 10_000,
      maxBytes: options.maxBytes ?? 64 * 1024 * 1024,
      timeoutMs: request.statementTimeoutMs ?? options.statementTimeoutMs ?? 30_000,
    };
    const scope: PlanScope<Context> = { schema: known, can: request.can, now };
    const path = request.path.replace(/^\/+|\/+$/g, "");
    if (path.startsWith("rpc/")) {
      const called = known.functions.get(path.slice("rpc/".length));
      if (!called) throw noSuchTable();
      return answerCall(request, scope, called, limits);
    }
    const table = known.tables.get(path);
    if (!table) throw noSuchTable();
    if (request.method === "GET" || request.method === "HEAD")
      return answerRead(request, scope, table, limits);
    return handleWrite(request, scope, table, limits);
  }

  async function answerRead(
    request: DataApiRequest<Context>,
    scope: PlanScope<Context>,
    table: Table<Context>,
    limits: Limits,
  ): Promise<DataApiResponse> {
    requireRead(request.can, table.declaration.read);
    const asked = parseRead(request, false);
    const plan = planRead(scope, { name: table.name, columns: table.columns, table }, asked.query);
    plan.paging = asked.paging;
    const row = await reader.read(
      readSql(plan, readOptions(scope, asked, limits)),
      limits.timeoutMs,
    );
    return respondToRead(toAnswer(row, limits.maxBytes), asked);
  }

  async function answerCall(
    request: DataApiRequest<Context>,
    scope: PlanScope<Context>,
    called: ApiFunction,
    limits: Limits,
  ): Promise<DataApiResponse> {
    const { resource } = called.declaration;
    const { method } = request;
    if (method !== "GET" && method !== "HEAD" && method !== "POST") {
      throw methodClosed(method, `rpc/${called.name}`, ["GET", "POST"]);
    }
    requireRead(request.can, resource);
    const asked = parseRead(request, method !== "POST");
    const args =
      method === "POST" ? argumentsOfBody(bodyText(request)) : argumentsOfQuery(asked.query);
    const plan = planCall(scope, called, method === "POST" ? "POST" : "GET", args, asked.query);
    plan.paging = asked.paging;
    const statement = callSql(plan, readOptions(scope, asked, limits));
    const row = plan.overload.volatile
      ? await writeRow(request, resource, (client) =>
          client.query(statement.text, statement.values),
        )
      : await reader.read(statement, limits.timeoutMs);
    return respondToRead(callAnswer(row, plan, limits), asked);
  }

  return {
    ready,
    reload,
    async handle(request) {
      let known: Schema<Context> | undefined;
      try {
        await ready();
        known = schema;
        if (!known) throw new Error("data API: the schema is not there after loading it.");
        return await answer(request, known);
      } catch (error) {
        if (error instanceof ApiError || error instanceof PlainError)
          return respondToRefusal(error);
        if (!isPgError(error)) throw error;
        return respondToRefusal(
          fromPgError(error, (name) => known?.tables.get(name)?.isOpen === true),
        );
      }
    },
  };
}

function requireRead(can: Can, resource: string): void {
  if (!can(resource, "read")) throw forbidden("read", resource);
}

async function writeRow<Context>(
  request: DataApiRequest<Context>,
  resource: string,
  run: (client: Queryable) => Promise<{ rows: Record<string, unknown>[] }>,
): Promise<Record<string, unknown>> {
  if (!request.write || !request.can(resource, "write")) throw forbidden("write", resource);
  const { rows } = await request.write((client) => run(client));
  return rows[0] ?? {};
}

function callAnswer(row: Record<string, unknown>, plan: CallPlan, limits: Limits) {
  const answer = toAnswer(row, limits.maxBytes);
  return plan.overload.returnsSet ? answer : { ...answer, rows: 1 };
}

interface AskedRead {
  query: Query;
  paging: Paging;
  shape: ReturnType<typeof parseAccept>;
  preferences: ReturnType<typeof parsePreferences>;
  offset: number;
  withBody: boolean;
}

/** Everything a reading request says, as a value. */
function parseRead<Context>(request: DataApiRequest<Context>, isCall: boolean): AskedRead {
  const query = parseQuery(parseQueryString(request.query), isCall);
  const own = query.paging.find(({ path }) => path.length === 0)?.value ?? {};
  const paging =
    request.method === "POST"
      ? own
      : intersectPaging(own, parseRangeHeader(header(request, "range")));
  return {
    query,
    paging,
    shape: parseAccept(header(request, "accept")),
    preferences: parsePreferences(header(request, "prefer")),
    offset: paging.offset ?? 0,
    withBody: request.method !== "HEAD",
  };
}

const readOptions = <Context>(
  scope: PlanScope<Context>,
  asked: AskedRead,
  limits: Limits,
): ReadOptions => ({
  schema: scope.schema.name,
  single: asked.shape === "object",
  count: asked.preferences.count !== undefined,
  maxRows: limits.maxRows,
  maxBytes: limits.maxBytes,
});
