import type { InputRow, WriteVerb } from "./declare.ts";
import { ApiError, badBody, forbidden, methodClosed, notOneRow, unsupported } from "./errors.ts";
import { parseAccept } from "./parse/accept.ts";
import { parsePreferences, type Preferences } from "./parse/preferences.ts";
import { parseQuery, type Query } from "./parse/query.ts";
import { parseQueryString } from "./parse/query-string.ts";
import type { WritePlan } from "./plan/plan.ts";
import { planConditions, planRead, type PlanScope, refuseUnclearWrite } from "./plan/plan-read.ts";
import {
  cutRows,
  hookColumns,
  parsePayload,
  planConflict,
  type Payload,
  writtenColumns,
} from "./plan/plan-write.ts";
import { bodyText, type DataApiRequest, header, type Limits } from "./request.ts";
import { type DataApiResponse, respondToWrite, toAnswer, type WriteMethod } from "./respond.ts";
import type { Column, Table } from "./schema/schema.ts";
import { writeSql } from "./sql/write.ts";

const verbs: Record<WriteMethod, WriteVerb> = { POST: "insert", PATCH: "update", DELETE: "delete" };

/** Answers POST, PATCH and DELETE on a table: hooks and one statement, in the program's transaction. */
export async function handleWrite<Context>(
  request: DataApiRequest<Context>,
  scope: PlanScope<Context>,
  table: Table<Context>,
  limits: Limits,
): Promise<DataApiResponse> {
  const { declaration } = table;
  const method = writeMethod(request, table);
  const verb = verbs[method];
  const resource = declaration.write;
  if (resource === undefined || !request.write || !request.can(resource, "write")) {
    throw forbidden("write", resource ?? declaration.read);
  }
  const preferences = parsePreferences(header(request, "prefer"));
  const shape = parseAccept(header(request, "accept"));
  const query = parseQuery(parseQueryString(request.query), false);
  if (verb !== "insert") refuseUnclearWrite(query);
  const isShown = preferences.returns === "representation";
  const filters = verb !== "insert" && (query.where.length > 0 || query.valueLists.length > 0);
  // Rows come back, and conditions tell about rows: both are reading.
  if ((isShown || filters) && !request.can(declaration.read, "read"))
    throw forbidden("read", declaration.read);

  const where =
    verb === "insert" ? [] : planConditions(scope, table, query.where, query.valueLists);
  const shownQuery = representationQuery(query, isShown, preferences, table);
  const representation =
    shownQuery && planRead(scope, { name: table.name, columns: table.columns, table }, shownQuery);
  const payload = verb === "delete" ? undefined : parsePayload(jsonBody(request));
  if (verb === "update" && payload && payload.rows.length !== 1) {
    throw badBody("PATCH takes one object, whose values all the chosen rows get");
  }
  const columns = payload ? writtenColumns(table, payload.rows, query.columns) : [];
  if (preferences.missing === "default") throw unsupported("missing=default is not possible yet.");
  const conflict =
    verb === "insert" ? planConflict(table, preferences.resolution, query.onConflict) : undefined;

  const written = await request.write(async (client, context) => {
    await client.query("select set_config('statement_timeout', $1, true)", [
      String(Math.trunc(limits.timeoutMs)),
    ]);
    const change = await prepare(table, verb, payload, columns, context);
    const statement = writeSql(planWrite(table, verb, change, where, conflict), representation, {
      schema: scope.schema.name,
      single: shape === "object" && isShown,
      maxBytes: limits.maxBytes,
      payload: change.payload?.text ?? "[]",
      affected: declaration.afterWrite !== undefined,
    });
    const { rows } = await client.query(statement.text, statement.values);
    const row = rows[0] ?? {};
    const answer = toAnswer(row, limits.maxBytes);
    // Thrown inside the transaction, so that nothing stays written.
    if (shape === "object" && isShown && answer.rows !== 1) throw notOneRow(answer.rows);
    if (declaration.afterWrite) {
      const affected = JSON.parse(String(row["affected"])) as Record<string, unknown>[];
      await declaration.afterWrite({ verb, rows: affected, context });
    }
    return answer;
  });
  const location =
    preferences.returns === "headers-only" ? locationOf(table, written.body) : undefined;
  return respondToWrite(written, { method, shape, preferences, location });
}

function writeMethod<Context>(
  request: DataApiRequest<Context>,
  table: Table<Context>,
): WriteMethod {
  const { declaration } = table;
  const open = declaration.write === undefined ? [] : (declaration.verbs ?? Object.values(verbs));
  const { method } = request;
  const isKnown = method === "POST" || method === "PATCH" || method === "DELETE";
  if (!isKnown || (declaration.write !== undefined && !open.includes(verbs[method]))) {
    const allow = [
      "GET",
      "HEAD",
      ...Object.entries(verbs)
        .filter(([, verb]) => open.includes(verb))
        .map(([name]) => name),
    ];
    throw methodClosed(method, table.name, allow);
  }
  return method;
}

/** A body without a content type is read as JSON. */
function jsonBody<Context>(request: DataApiRequest<Context>): string {
  const type = header(request, "content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== undefined && type !== "" && type !== "application/json" && !type.endsWith("+json")) {
    throw new ApiError(415, "PGRST102", `Content-Type not acceptable: ${type}`);
  }
  return bodyText(request);
}

/**
 * What is read of the written rows: what `select` says, or the key for `Location`. Conditions and pages of the table
 * itself said which rows to write, so they are left out.
 */
function representationQuery<Context>(
  query: Query,
  isShown: boolean,
  preferences: Preferences,
  table: Table<Context>,
): Query | undefined {
  const inEmbeds = <Value>(items: { path: string[]; value: Value }[]) =>
    items.filter(({ path }) => path.length > 0);
  if (isShown) {
    return {
      ...query,
      where: inEmbeds(query.where),
      order: inEmbeds(query.order),
      paging: inEmbeds(query.paging),
      valueLists: [],
    };
  }
  const key = table.key.filter((name) => table.columns.has(name));
  if (preferences.returns !== "headers-only" || key.length === 0) return undefined;
  const select = key.map((name) => ({ kind: "field" as const, field: { name, path: [] } }));
  return { select, where: [], order: [], paging: [], valueLists: [], args: [] };
}

interface Change {
  columns: Column[];
  payload: Payload | undefined;
}

/** Lets the program's hook see and change the rows. Without a hook the client's own text goes to the database. */
async function prepare<Context>(
  table: Table<Context>,
  verb: WriteVerb,
  payload: Payload | undefined,
  columns: Column[],
  context: Context,
): Promise<Change> {
  const { beforeWrite } = table.declaration;
  if (!beforeWrite) return { columns, payload };
  const rows: InputRow[] = payload ? cutRows(payload.rows, columns) : [];
  const changed = await beforeWrite({ verb, rows, context });
  if (verb === "delete") return { columns, payload };
  return {
    columns: hookColumns(table, changed),
    payload: { rows: changed, text: JSON.stringify(changed) },
  };
}

function planWrite<Context>(
  table: Table<Context>,
  verb: WriteVerb,
  { columns, payload }: Change,
  where: ReturnType<typeof planConditions>,
  conflict: ReturnType<typeof planConflict>,
): WritePlan {
  if (verb === "delete") return { verb, table: table.name, where };
  if (verb === "update") return { verb, table: table.name, columns, where };
  const rows = payload?.rows.length ?? 0;
  if (columns.length === 0 && rows > 1)
    throw badBody("Several empty rows cannot be inserted at once");
  return { verb, table: table.name, columns, rows, conflict };
}

function locationOf<Context>(table: Table<Context>, body: string): string | undefined {
  if (body === "") return undefined;
  const [row] = JSON.parse(body) as Record<string, unknown>[];
  if (!row) return undefined;
  const filters = Object.entries(row).map(
    ([name, value]) => `${encodeURIComponent(name)}=eq.${encodeURIComponent(String(value))}`,
  );
  return `/${table.name}?${filters.join("&")}`;
}
