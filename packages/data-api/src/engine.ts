import { answerCall } from "./answer-call.ts";
import { answerRead } from "./answer-read.ts";
import { answerWrite, openMethods } from "./answer-write.ts";
import type { Engine, Rules } from "./answering.ts";
import { createReader, createWriter, type Pool, type RunAlone } from "./connection.ts";
import type { FunctionDeclaration, TableDeclaration } from "./declare.ts";
import { answerTooLong, ApiError, noSuchTable, PlainError, unknownTable } from "./errors.ts";
import { costLimits } from "./limits.ts";
import { parseQueryString } from "./parse/query-string.ts";
import { inputOfQuery, noSuchFunction } from "./plan/plan-call.ts";
import { createRecall, type Recall } from "./recall.ts";
import type { DataApiRequest, Need } from "./request.ts";
import { type DataApiResponse, respondToRefusal } from "./respond.ts";
import { readCatalog } from "./schema/catalog.ts";
import { declareAll } from "./schema/declare-all.ts";
import { type ApiFunction, buildSchema, type Schema } from "./schema/schema.ts";
import { isBeyondBytes } from "./sql/bounds.ts";
import { fromPgError, isPgError } from "./sql-state.ts";

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
  /**
   * Where a write runs around which nothing of the program's happens: as one statement, in one round trip. Used by
   * nothing else, and without it every write runs in the request's `write`.
   */
  writePool?: Pool;
  /** The database schema that is shown. */
  schema?: string;
  /** What exists outside; or how to tell from what the database has. */
  tables: readonly TableDeclaration<Context>[] | "all";
  functions?: readonly FunctionDeclaration[];
  /** Further schemas whose functions of one row count as columns and relationships. */
  extraSchemas?: readonly string[];
  /** Rows in one answer; an answer that is cut says so in `Content-Range`. */
  maxRows?: number;
  /** Rows of one embedded list, where costs are limited; the header `Lists-Cut` names those that are cut. */
  maxListRows?: number;
  /** Length of one answer. */
  maxBytes?: number;
  statementTimeoutMs?: number;
  /** For a statement that may take long: one that reads texts, counts, or nests lists. */
  costlyTimeoutMs?: number;
  /**
   * Patterns that can explode and selects that fan out are refused, and long embedded lists are cut (`costLimits`). So it
   * is unless said where errors are guarded, and not where the database's roles decide.
   */
  limitsCosts?: boolean;
  /**
   * `guarded` (unless said): refusals tell nothing about what is not visible. `whole`: PostgreSQL's own words go out,
   * for when the database's roles decide what may be seen.
   */
  errors?: "guarded" | "whole";
  /** Rows of answers tell what SQL code set as `response.status` and `response.headers`, for who runs statements. */
  tellsSettings?: boolean;
  /** Sums, counts and the like in `select`. */
  aggregates?: boolean;
  /**
   * Clients may ask for the database's plan. It names what PostgreSQL uses, also what is not declared; where errors are
   * guarded it tells steps alone, neither costs nor what a run met.
   */
  plan?: boolean;
  /** How a write's transaction ends, and whether the client may say so. */
  txEnd?: "commit" | "rollback";
  txOverride?: boolean;
  /** The moment that `now` means in `{column}.filter`. */
  now?: () => Date;
}

export interface DataApi<Context> {
  /** What exists outside, once it is known. */
  schema(): Schema<Context> | undefined;
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
  const writeAlone = options.writePool && createWriter(options.writePool);
  const rules: Rules = {
    plan: options.plan ?? false,
    aggregates: options.aggregates ?? false,
    txOverride: options.txOverride ?? false,
    txEnd: options.txEnd ?? "commit",
    words: options.errors ?? "guarded",
    tellsSettings: options.tellsSettings ?? false,
    limitsCosts: options.limitsCosts ?? options.errors !== "whole",
  };
  const maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
  /** What was planned before belongs to the schema that it was planned by. */
  let loaded: { schema: Schema<Context>; recall: Recall } | undefined;
  let loading: Promise<void> | undefined;

  async function load(): Promise<void> {
    const isAll = tables === "all";
    const names = isAll ? undefined : functions.map((declaration) => declaration.name);
    const schemas = [schemaName, ...(options.extraSchemas ?? [])];
    const catalog = await reader.use((client) => readCatalog(client, schemas, names));
    const schema = isAll
      ? buildSchema(schemaName, catalog, ...declareAll<Context>(catalog, schemaName), true)
      : buildSchema(schemaName, catalog, tables, functions);
    loaded = { schema, recall: createRecall() };
  }

  function reload(): Promise<void> {
    loading = load().catch((cause: unknown) => {
      loading = undefined;
      throw cause;
    });
    return loading;
  }

  const ready = () => (loaded ? Promise.resolve() : (loading ?? reload()));

  async function answer(
    request: DataApiRequest<Context>,
    { schema: known, recall }: NonNullable<typeof loaded>,
  ): Promise<DataApiResponse> {
    const timeoutMs = request.statementTimeoutMs ?? options.statementTimeoutMs ?? 30_000;
    const engine: Engine<Context> = {
      scope: {
        schema: known,
        can: request.can,
        now,
        aggregates: rules.aggregates,
        anyType: rules.words === "whole",
        asker: request.asker,
      },
      rules,
      recall,
      limits: {
        maxRows: options.maxRows ?? 10_000,
        maxBytes,
        bounds: rules.limitsCosts
          ? { listRows: options.maxListRows ?? costLimits.listRows, maxBytes }
          : undefined,
        timeoutMs,
        costlyTimeoutMs: Math.min(timeoutMs, options.costlyTimeoutMs ?? timeoutMs),
      },
      ...inTurn(request, {
        read: request.read ?? reader.read,
        write: request.write,
        writeAlone: request.writeAlone ?? writeAlone,
      }),
    };
    const path = request.path.replace(/^\/+|\/+$/g, "");
    if (path.startsWith("rpc/")) {
      const name = path.slice("rpc/".length);
      const called = known.functions.get(name);
      if (!called && rules.words === "guarded") throw noSuchTable();
      if (request.method === "OPTIONS") {
        if (!called)
          throw noSuchFunction(known, name, inputOfQuery(parseQueryString(request.query)));
        return allowed(callMethods(called));
      }
      return answerCall(request, engine, called, name);
    }
    const table = known.tables.get(path);
    if (!table) throw rules.words === "guarded" ? noSuchTable() : unknownTable(known, path);
    if (request.method === "OPTIONS") return allowed(openMethods(table));
    if (request.method === "GET" || request.method === "HEAD")
      return answerRead(request, engine, table);
    return answerWrite(request, engine, table);
  }

  return {
    schema: () => loaded?.schema,
    ready,
    reload,
    async handle(request) {
      let known: typeof loaded;
      try {
        if (!loaded) await ready();
        known = loaded;
        if (!known) throw new Error("data API: the schema is not there after loading it.");
        return await answer(request, known);
      } catch (error) {
        const isRefusal = error instanceof ApiError || error instanceof PlainError;
        if (!isRefusal && !isPgError(error)) throw error;
        const refusal = isRefusal
          ? error
          : isBeyondBytes(error)
            ? answerTooLong(maxBytes)
            : fromPgError(error, known?.schema.tables ?? new Map(), rules.words);
        if (refusal.status >= 500) request.failed?.(error);
        return respondToRefusal(refusal, rules.words);
      }
    },
  };
}

/** The ways to the database, each of which waits for the asker's turn and tells how long it took. */
function inTurn<Context>(
  { inTurn: run, spent }: DataApiRequest<Context>,
  ways: Pick<Engine<Context>, "read" | "write" | "writeAlone">,
): typeof ways {
  if (!run) return ways;
  const alone =
    (way: RunAlone, of: Need["of"]): RunAlone =>
    (statement, settings) =>
      run({ of, isCostly: settings.isCostly }, () => way(statement, { ...settings, spent }));
  const { read, write, writeAlone } = ways;
  return {
    read: alone(read, "read"),
    writeAlone: writeAlone && alone(writeAlone, "write"),
    write:
      write &&
      ((work, settings) =>
        run({ of: "write", isCostly: settings.isCostly }, () => write(work, settings))),
  };
}

const allowed = (methods: readonly string[]): DataApiResponse => ({
  status: 200,
  headers: { allow: methods.join(",") },
  body: "",
});

const callMethods = ({ overloads }: ApiFunction): string[] =>
  overloads.every((overload) => overload.volatile)
    ? ["OPTIONS", "POST"]
    : ["OPTIONS", "GET", "HEAD", "POST"];
