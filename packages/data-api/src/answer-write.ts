import type { Sql } from "sql-template-tag";
import {
  asksWhole,
  type Engine,
  isCostlyRead,
  isWhole,
  parsePrefer,
  refuseHiddenPlan,
  type Rules,
  settingsOf,
  toldOfPlan,
} from "./answer-read.ts";
import { parseExact, type Payload, readPayload } from "./body.ts";
import type { Queryable, ResultRow } from "./connection.ts";
import type { InputRow, WriteVerb } from "./declare.ts";
import { ApiError, forbidden, methodClosed, notOneRow } from "./errors.ts";
import { parseAccept } from "./parse/accept.ts";
import type { Preferences } from "./parse/preferences.ts";
import { parseQuery, type Query } from "./parse/query.ts";
import { parseQueryString } from "./parse/query-string.ts";
import { refuseCostly } from "./parse/refuse-costly.ts";
import { isWholeTable } from "./plan/draft.ts";
import type { InsertPlan, LimitedPage, PlannedLogic, WritePlan } from "./plan/plan.ts";
import { planRead } from "./plan/plan-read.ts";
import { planConditions, refuseUnclearWrite } from "./plan/plan-targets.ts";
import {
  cutRows,
  hookColumns,
  keyDiffers,
  leaveOutKept,
  planConflict,
  planPage,
  planUpsert,
  refuseBeyondPage,
  requireKey,
  writtenColumns,
} from "./plan/plan-write.ts";
import { refuseFanOut } from "./plan/refuse-fan-out.ts";
import type { PlanScope } from "./plan/scope.ts";
import { type DataApiRequest, header } from "./request.ts";
import {
  type Answer,
  type DataApiResponse,
  respondToWrite,
  toAnswer,
  type WriteMethod,
} from "./respond.ts";
import { madeOfRows } from "./schema/media.ts";
import type { Column, Table } from "./schema/schema.ts";
import { explainSql, readExplained } from "./sql/explain.ts";
import { writeSql } from "./sql/write.ts";

const verbs: Record<WriteMethod, WriteVerb> = {
  POST: "insert",
  PUT: "insert",
  PATCH: "update",
  DELETE: "delete",
};

/** What undoes a transaction whose answer is wanted all the same. */
class Undone extends Error {
  readonly written: Written;

  constructor(written: Written) {
    super("The transaction ends in a rollback, as it was asked to.");
    this.written = written;
  }
}

interface Written {
  answer: Answer;
  inserted: number | undefined;
  /** The rows of the plan that was asked for instead. */
  explained?: ResultRow[];
}

/** Answers POST, PUT, PATCH and DELETE on a table: hooks and one statement, in the program's transaction. */
export async function answerWrite<Context>(
  request: DataApiRequest<Context>,
  engine: Engine<Context>,
  table: Table<Context>,
): Promise<DataApiResponse> {
  const { scope, limits, rules } = engine;
  const { declaration } = table;
  const method = writeMethod(request, table, rules.words);
  const verb = verbs[method];
  const resource = declaration.write;
  if (resource === undefined || !engine.write || !request.can(resource, "write")) {
    throw forbidden("write", resource ?? declaration.read);
  }
  const preferences = parsePrefer(request, rules);
  const query = parseQuery(parseQueryString(request.query), false);
  if (rules.limitsCosts) refuseCostly(query);
  if (verb !== "insert") refuseUnclearWrite(query);
  const isShown = preferences.returns === "representation";
  const shape = parseAccept(header(request, "accept"), {
    plan: toldOfPlan(rules),
    openApi: false,
    own: madeOfRows(scope.schema, table.name, asksWhole(query)),
  });
  const filters = verb !== "insert" && (query.where.length > 0 || query.valueLists.length > 0);
  // Rows come back, and conditions tell about rows: both are reading.
  if ((isShown || filters) && !request.can(declaration.read, "read"))
    throw forbidden("read", declaration.read);

  const shownQuery = representationQuery(query, isShown, preferences, table);
  const representation =
    shownQuery && planRead(scope, { name: table.name, columns: table.columns, table }, shownQuery);
  if (representation && rules.limitsCosts) refuseFanOut(representation);
  if (shape.plan)
    refuseHiddenPlan(rules, representation ? isWhole(representation) : isWholeTable(table));
  // The address of a `PUT` says which row is meant, so its body counts whole.
  const askedColumns = method === "PUT" ? undefined : query.columns;
  const body =
    verb === "delete"
      ? undefined
      : readPayload(request, {
          mayDiffer: askedColumns !== undefined,
          isExact: declaration.beforeWrite !== undefined,
        });
  request.mark?.("parse");
  const targets = planTargets(scope, table, method, query);
  const fillsDefaults = preferences.missing === "default";
  // An update takes the first row.
  const rows = verb === "update" ? body?.rows.slice(0, 1) : body?.rows;
  const columns = rows ? writtenColumns(table, rows, askedColumns) : [];
  const { payload, kept } =
    verb === "insert" && body
      ? leaveOutKept(body, columns, fillsDefaults)
      : { payload: body, kept: [] };
  if (method === "PUT") requireKey(table, columns);
  const conflict =
    method === "PUT"
      ? planConflict(table, "merge-duplicates", table.key)
      : verb === "insert"
        ? planConflict(table, preferences.resolution, query.onConflict)
        : undefined;
  request.mark?.("plan");

  const statementOf = (
    change: Change,
    triggerSettings?: DataApiRequest<Context>["triggerSettings"],
  ): Sql => {
    const plan = planWrite(table, verb, change, targets, {
      conflict,
      fillsDefaults,
      kept,
    });
    return writeSql(plan, representation, {
      schema: scope.schema.name,
      shape: isShown ? shape : { kind: "array", stripped: false },
      maxBytes: limits.maxBytes,
      bounds: limits.bounds,
      tellsSettings: rules.tellsSettings,
      payload: change.payload?.text ?? "[]",
      columns: [...table.allColumns.keys()],
      affected: declaration.afterWrite !== undefined,
      triggerSettings,
    });
  };
  const written = (row: ResultRow): Written => ({
    answer: toAnswer(row, limits.maxBytes, representation),
    inserted: conflict?.merge === true ? Number(row["inserted"] ?? 0) : undefined,
  });

  const run = async (client: Queryable, context: Context): Promise<Written> => {
    const change = await prepare(table, verb, payload, columns, context);
    const statement = statementOf(change);
    if (shape.plan) {
      const { text, values } = explainSql(statement, shape.plan);
      const { rows: explained } = await client.query(text, values);
      const answer = { body: "", rows: 0, total: undefined, cuts: [] };
      const told: Written = { answer, inserted: undefined, explained };
      // The hook believed in a write that is none.
      if (rules.words === "guarded" || endsInRollback(rules, preferences)) throw new Undone(told);
      return told;
    }
    const { rows } = await client.query(statement.text, statement.values);
    const row = rows[0] ?? {};
    const done = written(row);
    // Thrown inside the transaction, so that nothing stays written.
    if (method === "PUT" && done.answer.rows !== 1) throw keyDiffers();
    if (shape.kind === "object" && done.answer.rows !== 1) throw notOneRow(done.answer.rows);
    refuseBeyondPage(targets.page, done.answer.rows);
    refuseTooMany(preferences, done.answer.rows);
    if (declaration.afterWrite) {
      const affected = parseExact(String(row["affected"])) as Record<string, unknown>[];
      await declaration.afterWrite({ verb, rows: affected, context });
    }
    if (endsInRollback(rules, preferences)) throw new Undone(done);
    return done;
  };
  // Nothing of the program's happens around the statement, and nothing in what it answers can be refused.
  const isAlone =
    declaration.beforeWrite === undefined &&
    declaration.afterWrite === undefined &&
    representation === undefined &&
    method !== "PUT" &&
    shape.kind !== "object" &&
    shape.plan === undefined &&
    targets.page === undefined &&
    preferences.maxAffected === undefined &&
    preferences.timezone === undefined &&
    !endsInRollback(rules, preferences);
  const settings = settingsOf(engine, preferences, isCostlyRead(query, representation));
  const { answer, inserted, explained }: Written =
    isAlone && engine.writeAlone
      ? await engine
          .writeAlone(statementOf({ columns, payload }, request.triggerSettings), settings)
          .then(([row = {}]) => written(row))
      : await engine.write(run, settings).catch((error: unknown) => {
          if (error instanceof Undone) return error.written;
          throw error;
        });
  request.mark?.("transaction");
  if (explained) return readExplained(explained, shape);
  const location =
    preferences.returns === "headers-only" && method === "POST"
      ? locationOf(table, answer.body)
      : undefined;
  const followed =
    method === "POST" && conflict ? preferences : { ...preferences, resolution: undefined };
  return respondToWrite(answer, { method, shape, preferences: followed, location, inserted });
}

export const endsInRollback = ({ txEnd }: Rules, { tx }: Preferences) =>
  (tx ?? txEnd) === "rollback";

/** `max-affected` holds only where it was asked for strictly. */
export function refuseTooMany({ handling, maxAffected }: Preferences, rows: number): void {
  if (handling !== "strict" || maxAffected === undefined || rows <= maxAffected) return;
  throw new ApiError(400, "PGRST124", "Query result exceeds max-affected preference constraint", {
    details: `The query affects ${rows} rows`,
  });
}

/** Which rows an update or delete changes; for `PUT`, which row the body must be. */
function planTargets<Context>(
  scope: PlanScope<Context>,
  table: Table<Context>,
  method: WriteMethod,
  query: Query,
): Targets {
  if (method === "POST") return { where: [] };
  if (method === "PUT") {
    const logic = planUpsert(table, query);
    return {
      where: planConditions(
        scope,
        table,
        logic.map((value) => ({ path: [], value })),
        [],
      ),
    };
  }
  return {
    where: planConditions(scope, table, query.where, query.valueLists),
    page: planPage(scope, table, query),
  };
}

interface Targets {
  where: PlannedLogic[];
  page?: LimitedPage;
}

function writeMethod<Context>(
  request: DataApiRequest<Context>,
  table: Table<Context>,
  words: Rules["words"],
): WriteMethod {
  const { declaration } = table;
  const { method } = request;
  const isKnown = Object.hasOwn(verbs, method);
  const open = openVerbs(table);
  // Where the database's roles decide, it also says what a view does not allow.
  if (isKnown && words === "whole") return method as WriteMethod;
  if (!isKnown || (declaration.write !== undefined && !open.includes(verbs[method as WriteMethod])))
    throw methodClosed(method, table.name, openMethods(table));
  return method as WriteMethod;
}

const openVerbs = <Context>({ declaration }: Table<Context>): readonly WriteVerb[] =>
  declaration.write === undefined ? [] : (declaration.verbs ?? ["insert", "update", "delete"]);

/** What may be done with a table, whoever asks. */
export function openMethods<Context>(table: Table<Context>): string[] {
  const open = openVerbs(table);
  const isUpsert = table.key.length > 0 && open.includes("insert") && open.includes("update");
  return [
    "OPTIONS",
    "GET",
    "HEAD",
    ...(open.includes("insert") ? ["POST"] : []),
    ...(isUpsert ? ["PUT"] : []),
    ...(open.includes("update") ? ["PATCH"] : []),
    ...(open.includes("delete") ? ["DELETE"] : []),
  ];
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
      // Where a row lay is not among what comes back.
      order: query.order.filter(
        ({ path, value }) => path.length > 0 || value.every(({ field }) => field.name !== "ctid"),
      ),
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
  { where, page }: Targets,
  { conflict, fillsDefaults, kept }: Pick<InsertPlan, "conflict" | "fillsDefaults" | "kept">,
): WritePlan {
  if (verb === "delete") return { verb, table: table.name, where, page };
  if (verb === "update") return { verb, table: table.name, columns, where, page, fillsDefaults };
  const rows = payload?.rows.length ?? 0;
  return { verb, table: table.name, columns, rows, conflict, fillsDefaults, kept, where };
}

function locationOf<Context>(table: Table<Context>, body: string): string | undefined {
  if (body === "") return undefined;
  // Beyond what a number of ours can hold, the database's text counts.
  const [row, ...others] = parseExact(body) as Record<string, unknown>[];
  if (!row || others.length > 0) return undefined;
  const filters = Object.entries(row).map(([name, value]) => {
    if (value === null) return `${encodeURIComponent(name)}=is.null`;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${encodeURIComponent(name)}=eq.${encodeURIComponent(text)}`;
  });
  return `/${table.name}?${filters.join("&")}`;
}
