import type { Sql } from "sql-template-tag";
import type { Queryable, ResultRow, RunAlone, Statement, StatementSettings } from "./connection.ts";
import { ApiError, forbidden, unsupported } from "./errors.ts";
import { type MediaTypes, parseAccept, type Shape } from "./parse/accept.ts";
import { parsePreferences, type Preferences } from "./parse/preferences.ts";
import { parseQuery, type Query } from "./parse/query.ts";
import type { Pair } from "./parse/query-string.ts";
import { readsTexts, refuseCostly } from "./parse/refuse-costly.ts";
import { intersectPaging, type Paging, parseRangeHeader } from "./parse/range.ts";
import { lookUpAll } from "./look-up.ts";
import type { ReadPlan } from "./plan/plan.ts";
import { fanOutOf } from "./plan/refuse-fan-out.ts";
import type { PlanScope } from "./plan/scope.ts";
import type { Recall } from "./recall.ts";
import { type DataApiRequest, header, type Limits, type RunWrite } from "./request.ts";
import { type Answer, toAnswer } from "./respond.ts";
import { explainSql, readPlannedRows } from "./sql/explain.ts";
import type { ReadOptions } from "./sql/read.ts";

/**
 * What answering reads, writes and calls has in common. Each goes through the same stages: what is asked is parsed, it
 * is planned (the statement with it), the statement runs, and its one row becomes the response.
 */

/** What one program's data API allows, beside its tables. */
export interface Rules {
  /** Clients may ask for the database's plan. */
  plan: boolean;
  aggregates: boolean;
  /** The client may say how the transaction ends. */
  txOverride: boolean;
  /** How it ends unless the client says so. */
  txEnd: "commit" | "rollback";
  words: "guarded" | "whole";
  /** Rows of answers tell `response.status` and `response.headers`. */
  tellsSettings: boolean;
  /** `costLimits` hold. */
  limitsCosts: boolean;
}

/** What answering needs beside the request. */
export interface Engine<Context> {
  scope: PlanScope<Context>;
  rules: Rules;
  limits: Limits;
  recall: Recall;
  read: RunAlone;
  /** Absent where nothing can be written. */
  write: RunWrite<Context> | undefined;
  /** Absent where every write runs in a transaction of the program's. */
  writeAlone: RunAlone | undefined;
}

type Headers<Context> = Pick<DataApiRequest<Context>, "headers">;

export const parsePrefer = <Context>(
  request: Headers<Context>,
  { txOverride }: Rules,
): Preferences => parsePreferences(header(request, "prefer"), { tx: txOverride });

export const parseShape = <Context>(
  request: Headers<Context>,
  rules: Rules,
  own: MediaTypes["own"],
): Shape =>
  parseAccept(header(request, "accept"), { plan: toldOfPlan(rules), openApi: false, own });

/** The parameters as a value, refused where they could cost too much. */
export function parseParameters(
  pairs: readonly Pair[],
  rules: Rules,
  isCall: boolean,
  known?: { hasSearch: boolean },
): Query {
  const query = parseQuery(pairs, isCall, known);
  if (rules.limitsCosts) refuseCostly(query);
  return query;
}

/** Everything that a reading request says, as a value. */
export interface AskedRead {
  query: Query;
  paging: Paging;
  shape: Shape;
  preferences: Preferences;
}

export function parseRead<Context>(
  request: Pick<DataApiRequest<Context>, "method" | "headers">,
  rules: Rules,
  query: Query,
  own: MediaTypes["own"],
): AskedRead {
  const asked = query.paging.find(({ path }) => path.length === 0)?.value ?? {};
  // Only a GET asks for a range.
  const range = request.method === "GET" ? parseRangeHeader(header(request, "range")) : {};
  return {
    query,
    paging: intersectPaging(asked, range),
    shape: parseShape(request, rules, own),
    preferences: parsePrefer(request, rules),
  };
}

/** Whether all columns of the rows are asked for, and nothing else. */
export const asksWhole = ({ select }: Query): boolean =>
  select === undefined || (select.length === 1 && select[0]?.kind === "all");

/** Costs and what a run met follow all rows, so they are for whom the database's own roles guard. */
const toldOfPlan = ({ plan, words }: Rules): MediaTypes["plan"] =>
  plan && (words === "whole" ? "whole" : "steps");

/**
 * Refuses to explain what rests on rows that may not be seen: the steps that PostgreSQL chooses follow all rows, and name
 * what rules and views are made of.
 */
export function refuseHiddenPlan({ words }: Rules, { plan }: Shape, isTold: boolean): void {
  if (!plan || words === "whole" || isTold) return;
  throw unsupported(
    "The database's plan of this request is not told.",
    "It is for tables whose rows may all be seen.",
  );
}

/** Whether all rows of all that is read may be seen. */
export const isWhole = (plan: ReadPlan): boolean =>
  plan.isWhole &&
  plan.embeds.every(
    ({ read, junction }) => isWhole(read) && (junction === undefined || junction.isWhole),
  );

/**
 * Which count to make. PostgreSQL guesses from all rows, also from those that a rule, a view or a function leaves out,
 * so where it guards the data API guesses only about rows that may be seen all, and counts the others.
 */
export function countOf(
  { words }: Rules,
  { count }: Preferences,
  mayBeGuessed: boolean,
): Preferences["count"] {
  const mayGuess = words === "whole" || mayBeGuessed;
  return count === undefined || mayGuess ? count : "exact";
}

export function requireRead<Context>({ can }: PlanScope<Context>, resource: string): void {
  if (!can(resource, "read")) throw forbidden("read", resource);
}

/** Whether answering may take long, so that it gets less time: reading texts, counting, and lists inside lists. */
export function isCostlyRead(
  query: Query,
  plan: ReadPlan | undefined,
  count?: Preferences["count"],
): boolean {
  if (query.search !== undefined || readsTexts(query) || count === "exact" || count === "estimated")
    return true;
  return plan !== undefined && fanOutOf(plan).lists > 1;
}

export const readOptions = <Context>(
  { scope, limits, rules }: Pick<Engine<Context>, "scope" | "limits" | "rules">,
  shape: Shape,
  count: Preferences["count"],
): ReadOptions => ({
  schema: scope.schema.name,
  shape,
  count: count === "exact" ? "all" : count === "estimated" ? "some" : undefined,
  tellsCut: rules.words === "guarded",
  maxRows: limits.maxRows,
  maxBytes: limits.maxBytes,
  bounds: limits.bounds,
  tellsSettings: rules.tellsSettings,
});

export const settingsOf = <Context>(
  { limits }: Engine<Context>,
  { timezone }: Preferences,
  isCostly: boolean,
): StatementSettings => ({
  timeoutMs: isCostly ? limits.costlyTimeoutMs : limits.timeoutMs,
  timezone,
  isCostly,
});

/** A read of which nothing is looked up or refused any more: its statement is to be run. */
export interface PlannedRead {
  preferences: Preferences;
  shape: Shape;
  offset: number;
  count: Preferences["count"];
  isCostly: boolean;
  /** Of what has columns. */
  plan: ReadPlan | undefined;
  statement: Statement;
  /** The statement that matches the same rows, for a guess at how many there are. */
  matching: () => Sql;
}

/** Whether how many rows match is guessed by the planner, so that it is asked too. */
export const mayGuessCount = ({ count }: Pick<PlannedRead, "count">): boolean =>
  count === "planned" || count === "estimated";

/** Runs a read, and where the asker is content with the planner's guess, asks for that too. */
export async function runRead<Context>(
  engine: Engine<Context>,
  planned: PlannedRead,
): Promise<Answer> {
  const { preferences, shape, count, isCostly, plan, statement, matching } = planned;
  const { limits } = engine;
  const settings = settingsOf(engine, preferences, isCostly);
  await lookUpAll(plan?.lookUps ?? [], (asked) => engine.read(asked, settings));
  const [row = {}] = await engine.read(statement, settings);
  const answer = toAnswer(row, limits.maxBytes, plan);
  const isGuessed =
    shape.kind !== "openapi" &&
    (count === "planned" || (count === "estimated" && (answer.total ?? 0) > limits.maxRows));
  if (!isGuessed) return answer;
  const explained = explainSql(matching(), { format: "json", options: [], costs: true });
  const guessed = readPlannedRows(await engine.read(explained, settings));
  const total = count === "planned" ? guessed : Math.max(guessed, answer.total ?? 0);
  return { ...answer, total };
}

/** Asks for the database's plan of a read in place of its rows. */
export async function explainRead<Context>(
  engine: Engine<Context>,
  planned: Pick<PlannedRead, "statement" | "preferences" | "plan">,
  plan: NonNullable<Shape["plan"]>,
): Promise<ResultRow[]> {
  const settings = settingsOf(engine, planned.preferences, true);
  await lookUpAll(planned.plan?.lookUps ?? [], (asked) => engine.read(asked, settings));
  return engine.read(explainSql(planned.statement, plan), settings);
}

export const endsInRollback = ({ txEnd }: Rules, { tx }: Preferences) =>
  (tx ?? txEnd) === "rollback";

/** What undoes a transaction whose result is wanted all the same. */
class Undone<Result> extends Error {
  readonly result: Result;

  constructor(result: Result) {
    super("The transaction ends in a rollback, as it was asked to.");
    this.result = result;
  }
}

/** Runs work in a transaction of the program's, which is taken back at its end where `isUndone` says so of the result. */
export async function runInTransaction<Context, Result>(
  write: RunWrite<Context>,
  settings: StatementSettings,
  work: (client: Queryable, context: Context) => Promise<Result>,
  isUndone: (result: Result) => boolean,
): Promise<Result> {
  try {
    return await write(async (client, context) => {
      const result = await work(client, context);
      if (isUndone(result)) throw new Undone(result);
      return result;
    }, settings);
  } catch (error) {
    if (error instanceof Undone) return error.result as Result;
    throw error;
  }
}

/** `max-affected` holds only where it was asked for strictly. */
export function refuseTooMany({ handling, maxAffected }: Preferences, rows: number): void {
  if (handling !== "strict" || maxAffected === undefined || rows <= maxAffected) return;
  throw new ApiError(400, "PGRST124", "Query result exceeds max-affected preference constraint", {
    details: `The query affects ${rows} rows`,
  });
}
