import type { Sql } from "sql-template-tag";
import type { ReadSettings, ResultRow } from "./connection.ts";
import { forbidden } from "./errors.ts";
import { parseAccept, type Shape } from "./parse/accept.ts";
import { isTimezone, parsePreferences, type Preferences } from "./parse/preferences.ts";
import { parseQuery, type Query } from "./parse/query.ts";
import { type Pair, parseQueryString } from "./parse/query-string.ts";
import { intersectPaging, type Paging, parseRangeHeader } from "./parse/range.ts";
import { type Can, planRead, type PlanScope } from "./plan/plan-read.ts";
import { type DataApiRequest, header, type Limits } from "./request.ts";
import { type Answer, type DataApiResponse, respondToRead, toAnswer } from "./respond.ts";
import type { Table } from "./schema/schema.ts";
import { explainSql, readExplained, readPlannedRows } from "./sql/explain.ts";
import { countSql, type ReadOptions, readSql } from "./sql/read.ts";

/** What one program's data API allows, beside its tables. */
export interface Rules {
  plan: boolean;
  aggregates: boolean;
  /** The client may say how the transaction ends. */
  txOverride: boolean;
  /** How it ends unless the client says so. */
  txEnd: "commit" | "rollback";
  words: "guarded" | "whole";
  /** Rows of answers tell `response.status` and `response.headers`. */
  tellsSettings: boolean;
}

/** What answering needs beside the request. */
export interface Engine<Context> {
  scope: PlanScope<Context>;
  rules: Rules;
  limits: Limits;
  read(statement: Sql, settings: ReadSettings): Promise<ResultRow[]>;
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
  return parsePreferences(header(request, "prefer"), { tx: txOverride, isTimezone });
}

export function parseRead<Context>(
  request: DataApiRequest<Context>,
  rules: Rules,
  isCall: boolean,
  own?: Shape["media"],
): AskedRead {
  const pairs = parseQueryString(request.query);
  const query = parseQuery(pairs, isCall);
  const asked = query.paging.find(({ path }) => path.length === 0)?.value ?? {};
  const paging =
    request.method === "POST"
      ? asked
      : intersectPaging(asked, parseRangeHeader(header(request, "range")));
  return {
    query,
    pairs,
    paging,
    shape: parseAccept(header(request, "accept"), { plan: rules.plan, openApi: false, own }),
    preferences: parsePrefer(request, rules),
    offset: paging.offset ?? 0,
    withBody: request.method !== "HEAD",
  };
}

export const readOptions = <Context>(
  { scope, limits, rules }: Engine<Context>,
  { shape, preferences }: AskedRead,
): ReadOptions => ({
  schema: scope.schema.name,
  shape,
  count:
    preferences.count === "exact" ? "all" : preferences.count === "estimated" ? "some" : undefined,
  tellsCut: rules.words === "guarded",
  maxRows: limits.maxRows,
  maxBytes: limits.maxBytes,
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
  const asked = parseRead(request, rules, false);
  request.mark?.("parse");
  const plan = planRead(scope, { name: table.name, columns: table.columns, table }, asked.query);
  plan.paging = asked.paging;
  const options = readOptions(engine, asked);
  const statement = readSql(plan, options);
  request.mark?.("plan");
  if (asked.shape.plan) return explain(request, engine, asked, statement);
  const answer = await readAnswer(engine, asked, statement, () => countSql(plan, options));
  request.mark?.("transaction");
  return respondToRead(answer, {
    ...asked,
    doing: "read",
    location: canonicalLocation(table.name, asked.pairs),
    known: header(request, "if-none-match"),
  });
}

/** Reads, and where the asker is content with the planner's guess, asks for that too. */
export async function readAnswer<Context>(
  engine: Engine<Context>,
  { preferences, shape }: AskedRead,
  statement: Sql,
  count: () => Sql,
): Promise<Answer> {
  const { limits } = engine;
  const settings = settingsOf(engine, preferences);
  const [row = {}] = await engine.read(statement, settings);
  const answer = toAnswer(row, limits.maxBytes);
  const isGuessed =
    shape.kind !== "openapi" &&
    (preferences.count === "planned" ||
      (preferences.count === "estimated" && (answer.total ?? 0) > limits.maxRows));
  if (!isGuessed) return answer;
  const guessed = readPlannedRows(
    await engine.read(explainSql(count(), { format: "json", options: [] }), settings),
  );
  const total = preferences.count === "planned" ? guessed : Math.max(guessed, answer.total ?? 0);
  return { ...answer, total };
}

export const settingsOf = <Context>(
  { limits }: Engine<Context>,
  { timezone }: Preferences,
): ReadSettings => ({ timeoutMs: limits.timeoutMs, timezone });

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
    settingsOf(engine, asked.preferences),
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
