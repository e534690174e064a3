import type { Sql } from "sql-template-tag";
import type { StatementSettings, RunAlone } from "./connection.ts";
import { forbidden, unsupported } from "./errors.ts";
import { type MediaTypes, parseAccept, type Shape } from "./parse/accept.ts";
import { parsePreferences, type Preferences } from "./parse/preferences.ts";
import { parseQuery, type Query } from "./parse/query.ts";
import { readsTexts, refuseCostly } from "./parse/refuse-costly.ts";
import { type Pair, parseQueryString } from "./parse/query-string.ts";
import { intersectPaging, type Paging, parseRangeHeader } from "./parse/range.ts";
import type { ReadPlan } from "./plan/plan.ts";
import { planRead } from "./plan/plan-read.ts";
import { fanOutOf, refuseFanOut } from "./plan/refuse-fan-out.ts";
import type { Can, PlanScope } from "./plan/scope.ts";
import { type DataApiRequest, header, type Limits, type RunWrite } from "./request.ts";
import { type Answer, type DataApiResponse, respondToRead, toAnswer } from "./respond.ts";
import { madeOfRows } from "./schema/media.ts";
import type { Table } from "./schema/schema.ts";
import { explainSql, readExplained, readPlannedRows } from "./sql/explain.ts";
import { countSql, type ReadOptions, readSql } from "./sql/read.ts";

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
  read: RunAlone;
  /** Absent where nothing can be written. */
  write: RunWrite<Context> | undefined;
  /** Absent where every write runs in a transaction of the program's. */
  writeAlone: RunAlone | undefined;
}

/** Everything a reading request says, as a value. */
export interface AskedRead {
  query: Query;
  pairs: readonly Pair[];
  paging: Paging;
  shape: Shape;
  preferences: Preferences;
  offset: number;
  withBody: boolean;
}

export function parsePrefer<Context>(
  request: DataApiRequest<Context>,
  { txOverride }: Rules,
): Preferences {
  return parsePreferences(header(request, "prefer"), { tx: txOverride });
}

export function parseRead<Context>(
  request: DataApiRequest<Context>,
  rules: Rules,
  isCall: boolean,
  ownOf: (isWhole: boolean) => MediaTypes["own"],
): AskedRead {
  const pairs = parseQueryString(request.query);
  const query = parseQuery(pairs, isCall);
  if (rules.limitsCosts) refuseCostly(query);
  const asked = query.paging.find(({ path }) => path.length === 0)?.value ?? {};
  const paging =
    request.method === "POST"
      ? asked
      : intersectPaging(asked, parseRangeHeader(header(request, "range")));
  return {
    query,
    pairs,
    paging,
    shape: parseAccept(header(request, "accept"), {
      plan: toldOfPlan(rules),
      openApi: false,
      own: ownOf(asksWhole(query)),
    }),
    preferences: parsePrefer(request, rules),
    offset: paging.offset ?? 0,
    withBody: request.method !== "HEAD",
  };
}

/** Whether all columns of the rows are asked for, and nothing else. */
export const asksWhole = ({ select }: Query): boolean =>
  select === undefined || (select.length === 1 && select[0]?.kind === "all");

/** Costs and what a run met follow all rows, so they are for whom the database's own roles guard. */
export const toldOfPlan = ({ plan, words }: Rules): MediaTypes["plan"] =>
  plan && (words === "whole" ? "whole" : "steps");

/**
 * Refuses to explain what rests on rows that may not be seen: the steps that PostgreSQL chooses follow all rows, and name
 * what rules and views are made of.
 */
export function refuseHiddenPlan({ words }: Rules, isTold: boolean): void {
  if (words === "whole" || isTold) return;
  throw unsupported(
    "The database's plan of this request is not told.",
    "It is for tables whose rows may all be seen.",
  );
}

/**
 * Which count to make. PostgreSQL guesses from all rows, also from those that a rule, a view or a function leaves out,
 * so where it guards the data API guesses only about rows that may be seen all, and counts the others.
 */
export function countOf<Context>(
  { rules }: Engine<Context>,
  { preferences: { count } }: AskedRead,
  mayBeGuessed: boolean,
): Preferences["count"] {
  const mayGuess = rules.words === "whole" || mayBeGuessed;
  return count === undefined || mayGuess ? count : "exact";
}

/** Whether all rows of all that is read may be seen. */
export const isWhole = (plan: ReadPlan): boolean =>
  plan.isWhole &&
  plan.embeds.every(
    ({ read, junction }) => isWhole(read) && (junction === undefined || junction.isWhole),
  );

export const readOptions = <Context>(
  { scope, limits, rules }: Engine<Context>,
  { shape }: AskedRead,
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

/** Answers GET and HEAD on a table. */
export async function answerRead<Context>(
  request: DataApiRequest<Context>,
  engine: Engine<Context>,
  table: Table<Context>,
): Promise<DataApiResponse> {
  const { scope, rules } = engine;
  requireRead(request.can, table.declaration.read);
  const asked = parseRead(request, rules, false, (isAll) =>
    madeOfRows(scope.schema, table.name, isAll),
  );
  request.mark?.("parse");
  const plan = planRead(scope, { name: table.name, columns: table.columns, table }, asked.query);
  plan.paging = asked.paging;
  if (rules.limitsCosts) refuseFanOut(plan);
  if (asked.shape.plan) refuseHiddenPlan(rules, isWhole(plan));
  const count = countOf(engine, asked, isWhole(plan));
  const options = readOptions(engine, asked, count);
  const statement = readSql(plan, options);
  request.mark?.("plan");
  if (asked.shape.plan) return explain(request, engine, asked, statement);
  const isCostly = isCostlyRead(asked.query, plan, count);
  const answer = await readAnswer(engine, { ...asked, count, isCostly, plan }, statement, () =>
    countSql(plan, options),
  );
  request.mark?.("transaction");
  return respondToRead(answer, {
    ...asked,
    doing: "read",
    location: canonicalLocation(table.name, asked.pairs),
    known: header(request, "if-none-match"),
  });
}

/** Whether answering may take long, so that it gets less time: reading texts, counting, and lists inside lists. */
export function isCostlyRead(
  query: Query,
  plan: ReadPlan | undefined,
  count?: Preferences["count"],
): boolean {
  if (readsTexts(query) || count === "exact" || count === "estimated") return true;
  return plan !== undefined && fanOutOf(plan).lists > 1;
}

/** Reads, and where the asker is content with the planner's guess, asks for that too. */
export async function readAnswer<Context>(
  engine: Engine<Context>,
  {
    preferences,
    shape,
    count,
    isCostly,
    plan,
  }: AskedRead & Pick<Preferences, "count"> & { isCostly: boolean; plan: ReadPlan | undefined },
  statement: Sql,
  matching: () => Sql,
): Promise<Answer> {
  const { limits } = engine;
  const settings = settingsOf(engine, preferences, isCostly);
  const [row = {}] = await engine.read(statement, settings);
  const answer = toAnswer(row, limits.maxBytes, plan);
  const isGuessed =
    shape.kind !== "openapi" &&
    (count === "planned" || (count === "estimated" && (answer.total ?? 0) > limits.maxRows));
  if (!isGuessed) return answer;
  const guessed = readPlannedRows(
    await engine.read(
      explainSql(matching(), { format: "json", options: [], costs: true }),
      settings,
    ),
  );
  const total = count === "planned" ? guessed : Math.max(guessed, answer.total ?? 0);
  return { ...answer, total };
}

export const settingsOf = <Context>(
  { limits }: Engine<Context>,
  { timezone }: Preferences,
  isCostly: boolean,
): StatementSettings => ({
  timeoutMs: isCostly ? limits.costlyTimeoutMs : limits.timeoutMs,
  timezone,
  isCostly,
});

/** Answers with the database's plan instead of rows. */
export async function explain<Context>(
  request: DataApiRequest<Context>,
  engine: Engine<Context>,
  asked: AskedRead,
  statement: Sql,
): Promise<DataApiResponse> {
  const { plan } = asked.shape;
  if (!plan) throw new Error("data API: nothing says how to explain.");
  const rows = await engine.read(
    explainSql(statement, plan),
    settingsOf(engine, asked.preferences, true),
  );
  request.mark?.("transaction");
  return readExplained(rows, asked.shape);
}

export function requireRead(can: Can, resource: string): void {
  if (!can(resource, "read")) throw forbidden("read", resource);
}

/** The address of the rows with its parameters in order, as PostgREST gives it. */
function canonicalLocation(table: string, pairs: readonly Pair[]): string {
  const values = Map.groupBy(pairs, ([key]) => key);
  const query = [...values.keys()]
    .toSorted()
    .map((key) => {
      const given = (values.get(key) ?? []).map(([, value]) => percentEncoded(value));
      return `${percentEncoded(key)}=${given.join(",")}`;
    })
    .join("&");
  // A header takes printable characters only.
  const name = table.replaceAll(/[^\x20-\x7e]+/g, encodeURIComponent);
  return `/${name}${query === "" ? "" : `?${query}`}`;
}

const percentEncoded = (text: string) =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
