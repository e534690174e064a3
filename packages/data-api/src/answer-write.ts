import type { Sql } from "sql-template-tag";
import {
  asksWhole,
  endsInRollback,
  type Engine,
  isCostlyRead,
  isWhole,
  parseParameters,
  parsePrefer,
  parseShape,
  refuseHiddenPlan,
  refuseTooMany,
  type Rules,
  runInTransaction,
  settingsOf,
} from "./answering.ts";
import { parseExact, type Payload, readPayload } from "./body.ts";
import type { Queryable, ResultRow, Statement } from "./connection.ts";
import type { InputRow, WriteVerb } from "./declare.ts";
import { forbidden, methodClosed, notOneRow } from "./errors.ts";
import type { Shape } from "./parse/accept.ts";
import type { Preferences } from "./parse/preferences.ts";
import type { Query } from "./parse/query.ts";
import { parseQueryString } from "./parse/query-string.ts";
import { isWholeTable } from "./plan/draft.ts";
import type { InsertPlan, LimitedPage, PlannedLogic, ReadPlan, WritePlan } from "./plan/plan.ts";
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
import type { DataApiRequest } from "./request.ts";
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

/** Everything that a writing request says, as a value. */
interface AskedWrite {
  method: WriteMethod;
  verb: WriteVerb;
  query: Query;
  preferences: Preferences;
  shape: Shape;
  /** The written rows come back. */
  isShown: boolean;
  /** Absent for a delete. */
  body: Payload | undefined;
  /** Which keys of the body count. */
  columns: readonly string[] | undefined;
}

/** A write whose names are known and allowed. */
interface PlannedWrite extends Pick<InsertPlan, "conflict" | "fillsDefaults" | "kept"> {
  targets: Targets;
  change: Change;
  /** What is read of the written rows. */
  representation: ReadPlan | undefined;
  isCostly: boolean;
}

interface Written {
  answer: Answer;
  inserted: number | undefined;
  /** The rows of the plan that was asked for instead. */
  explained?: ResultRow[];
}

/** What one write is made of, for the stages that follow the parsing. */
interface Writing<Context> {
  request: DataApiRequest<Context>;
  engine: Engine<Context>;
  table: Table<Context>;
  asked: AskedWrite;
}

/** Answers POST, PUT, PATCH and DELETE on a table: hooks and one statement, in the program's transaction. */
export async function answerWrite<Context>(
  request: DataApiRequest<Context>,
  engine: Engine<Context>,
  table: Table<Context>,
): Promise<DataApiResponse> {
  const asked = parseWrite(request, engine, table);
  const writing = { request, engine, table, asked };
  request.mark?.("parse");
  const planned = planWriting(writing);
  request.mark?.("plan");
  const written = await runWriting(writing, planned);
  request.mark?.("transaction");
  return respond(writing, planned, written);
}

function parseWrite<Context>(
  request: DataApiRequest<Context>,
  { scope, rules, write }: Engine<Context>,
  table: Table<Context>,
): AskedWrite {
  const { declaration } = table;
  const method = writeMethod(request, table, rules.words);
  const verb = verbs[method];
  const resource = declaration.write;
  if (resource === undefined || !write || !scope.can(resource, "write"))
    throw forbidden("write", resource ?? declaration.read);
  const preferences = parsePrefer(request, rules);
  const query = parseParameters(parseQueryString(request.query), rules, false);
  const shape = parseShape(request, rules, madeOfRows(scope.schema, table.name, asksWhole(query)));
  if (verb !== "insert") refuseUnclearWrite(query);
  const isShown = preferences.returns === "representation";
  const filters = verb !== "insert" && (query.where.length > 0 || query.valueLists.length > 0);
  // Rows come back, and conditions tell about rows: both are reading.
  if ((isShown || filters) && !scope.can(declaration.read, "read"))
    throw forbidden("read", declaration.read);
  // The address of a `PUT` says which row is meant, so its body counts whole.
  const columns = method === "PUT" ? undefined : query.columns;
  const body =
    verb === "delete"
      ? undefined
      : readPayload(request, {
          mayDiffer: columns !== undefined,
          isExact: declaration.beforeWrite !== undefined,
        });
  return { method, verb, query, preferences, shape, isShown, body, columns };
}

function planWriting<Context>({ engine, table, asked }: Writing<Context>): PlannedWrite {
  const { scope, rules } = engine;
  const { method, verb, query, preferences, body } = asked;
  const shown = representationQuery(asked, table);
  const representation =
    shown && planRead(scope, { name: table.name, columns: table.columns, table }, shown);
  if (representation && rules.limitsCosts) refuseFanOut(representation);
  const isTold = representation ? isWhole(representation) : isWholeTable(table);
  refuseHiddenPlan(rules, asked.shape, isTold);
  const targets = planTargets(scope, table, method, query);
  const fillsDefaults = preferences.missing === "default";
  // An update takes the first row.
  const rows = verb === "update" ? body?.rows.slice(0, 1) : body?.rows;
  const columns = rows ? writtenColumns(table, rows, asked.columns) : [];
  const { payload, kept } =
    verb === "insert" && body
      ? leaveOutKept(body, columns, fillsDefaults)
      : { payload: body, kept: [] };
  if (method === "PUT") requireKey(table, columns);
  return {
    targets,
    change: { columns, payload },
    representation,
    isCostly: isCostlyRead(query, representation),
    conflict: conflictOf(table, asked),
    fillsDefaults,
    kept,
  };
}

const conflictOf = <Context>(
  table: Table<Context>,
  { method, verb, preferences, query }: AskedWrite,
): InsertPlan["conflict"] => {
  if (method === "PUT") return planConflict(table, "merge-duplicates", table.key);
  return verb === "insert"
    ? planConflict(table, preferences.resolution, query.onConflict)
    : undefined;
};

function statementOf<Context>(
  { engine, table, asked: { verb, isShown, shape } }: Writing<Context>,
  planned: PlannedWrite,
  change: Change,
  triggerSettings?: DataApiRequest<Context>["triggerSettings"],
): Sql {
  const { scope, limits, rules } = engine;
  return writeSql(planWrite(table, verb, change, planned), planned.representation, {
    schema: scope.schema.name,
    shape: isShown ? shape : { kind: "array", stripped: false },
    maxBytes: limits.maxBytes,
    bounds: limits.bounds,
    tellsSettings: rules.tellsSettings,
    payload: change.payload?.text ?? "[]",
    columns: [...table.allColumns.keys()],
    affected: table.declaration.afterWrite !== undefined,
    triggerSettings,
  });
}

async function runWriting<Context>(
  writing: Writing<Context>,
  planned: PlannedWrite,
): Promise<Written> {
  const { engine, asked } = writing;
  const settings = settingsOf(engine, asked.preferences, planned.isCostly);
  if (engine.writeAlone && isAlone(writing, planned)) {
    const statement = statementAlone(writing, planned);
    const [row = {}] = await engine.writeAlone(statement, settings);
    return toWritten(writing, planned, row);
  }
  if (!engine.write) throw forbidden("write", writing.table.name);
  const { words } = engine.rules;
  return runInTransaction(
    engine.write,
    settings,
    (client, context) => change(writing, planned, client, context),
    // A hook believed in a write that is none.
    ({ explained }) =>
      endsInRollback(engine.rules, asked.preferences) ||
      (explained !== undefined && words === "guarded"),
  );
}

/** The statement of a write that is one statement. That of an insert of the same columns is made once. */
function statementAlone<Context>(writing: Writing<Context>, planned: PlannedWrite): Statement {
  const { request, engine, table, asked } = writing;
  const { change: made, conflict, fillsDefaults, kept } = planned;
  const { payload, columns } = made;
  const settings = Object.entries(request.triggerSettings ?? {});
  const statement = ([text = "", ...given]: readonly string[]) =>
    statementOf(
      writing,
      planned,
      payload ? { columns, payload: { ...payload, text } } : made,
      Object.fromEntries(settings.map(([name], index) => [name, given[index] ?? ""])),
    );
  const values = [payload?.text ?? "", ...settings.map(([, value]) => value)];
  if (asked.verb !== "insert" || !payload || payload.rows.length === 0) return statement(values);
  const parts = [
    table.name,
    String(fillsDefaults),
    conflict ? `${conflict.merge} ${JSON.stringify(conflict.on)}` : "",
    JSON.stringify(kept),
    ...columns.map(({ name }) => name),
    "",
    ...settings.map(([name]) => name),
  ];
  return engine.recall.statement(parts, values, statement);
}

/** Nothing of the program's happens around the statement, and nothing in what it answers can be refused. */
function isAlone<Context>(
  { engine, table, asked: { method, shape, preferences } }: Writing<Context>,
  { representation, targets }: PlannedWrite,
): boolean {
  const { beforeWrite, afterWrite } = table.declaration;
  return (
    beforeWrite === undefined &&
    afterWrite === undefined &&
    representation === undefined &&
    method !== "PUT" &&
    shape.kind !== "object" &&
    shape.plan === undefined &&
    targets.page === undefined &&
    preferences.maxAffected === undefined &&
    preferences.timezone === undefined &&
    !endsInRollback(engine.rules, preferences)
  );
}

/** The hooks and the statement between them. What is thrown here takes back all that was written. */
async function change<Context>(
  writing: Writing<Context>,
  planned: PlannedWrite,
  client: Queryable,
  context: Context,
): Promise<Written> {
  const { table, asked } = writing;
  const { method, verb, shape, preferences } = asked;
  // Without a hook the statement goes out at once, with what begins the transaction.
  const prepared = table.declaration.beforeWrite
    ? await prepare(table, verb, planned.change, context, table.declaration.beforeWrite)
    : planned.change;
  const statement = statementOf(writing, planned, prepared);
  if (shape.plan) {
    const { text, values } = explainSql(statement, shape.plan);
    const { rows: explained } = await client.query(text, [...values]);
    const answer = { body: "", rows: 0, total: undefined, cuts: [] };
    return { answer, inserted: undefined, explained };
  }
  const { rows } = await client.query(statement.text, statement.values);
  const row = rows[0] ?? {};
  const written = toWritten(writing, planned, row);
  const count = written.answer.rows;
  if (method === "PUT" && count !== 1) throw keyDiffers();
  if (shape.kind === "object" && count !== 1) throw notOneRow(count);
  refuseBeyondPage(planned.targets.page, count);
  refuseTooMany(preferences, count);
  if (table.declaration.afterWrite) {
    const affected = parseExact(String(row["affected"])) as Record<string, unknown>[];
    const sent = prepared.payload?.rows ?? [];
    await table.declaration.afterWrite({ verb, rows: affected, sent, context });
  }
  return written;
}

const toWritten = <Context>(
  { engine }: Writing<Context>,
  { representation, conflict }: PlannedWrite,
  row: ResultRow,
): Written => ({
  answer: toAnswer(row, engine.limits.maxBytes, representation),
  inserted: conflict?.merge === true ? Number(row["inserted"] ?? 0) : undefined,
});

function respond<Context>(
  { table, asked: { method, shape, preferences } }: Writing<Context>,
  { conflict }: PlannedWrite,
  { answer, inserted, explained }: Written,
): DataApiResponse {
  if (explained) return readExplained(explained, shape);
  const location =
    preferences.returns === "headers-only" && method === "POST"
      ? locationOf(table, answer.body)
      : undefined;
  const resolves = method === "POST" && conflict !== undefined;
  const followed = resolves ? preferences : { ...preferences, resolution: undefined };
  return respondToWrite(answer, { method, shape, preferences: followed, location, inserted });
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
  { query, isShown, preferences }: AskedWrite,
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

/** Lets the program's hook see and change the rows. Without one the client's own text goes to the database. */
async function prepare<Context>(
  table: Table<Context>,
  verb: WriteVerb,
  { payload, columns }: Change,
  context: Context,
  beforeWrite: NonNullable<Table<Context>["declaration"]["beforeWrite"]>,
): Promise<Change> {
  const rows: InputRow[] = payload ? cutRows(payload.rows, columns, table.declaration.accepts) : [];
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
  { targets: { where, page }, conflict, fillsDefaults, kept }: PlannedWrite,
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
