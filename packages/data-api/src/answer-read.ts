import {
  asksWhole,
  countOf,
  type Engine,
  explainRead,
  isCostlyRead,
  isWhole,
  parseParameters,
  parseRead,
  type PlannedRead,
  readOptions,
  refuseHiddenPlan,
  requireRead,
  runRead,
} from "./answering.ts";
import type { Statement } from "./connection.ts";
import { type Pair, parseQueryString } from "./parse/query-string.ts";
import { planRead } from "./plan/plan-read.ts";
import { refuseFanOut } from "./plan/refuse-fan-out.ts";
import { type DataApiRequest, header } from "./request.ts";
import { type DataApiResponse, respondToRead } from "./respond.ts";
import { madeOfRows } from "./schema/media.ts";
import type { Table } from "./schema/schema.ts";
import { readExplained } from "./sql/explain.ts";
import { countSql, readSql } from "./sql/read.ts";

/** Answers GET and HEAD on a table. */
export async function answerRead<Context>(
  request: DataApiRequest<Context>,
  engine: Engine<Context>,
  table: Table<Context>,
): Promise<DataApiResponse> {
  const pairs = parseQueryString(request.query);
  const planned = engine.recall.read(request, engine.scope, { name: table.name, pairs }, (asked) =>
    planTable(asked.request, { ...engine, scope: asked.scope }, table, asked.pairs),
  );
  request.mark?.("plan");
  const { shape } = planned;
  if (shape.plan) {
    const rows = await explainRead(engine, planned, shape.plan);
    request.mark?.("transaction");
    return readExplained(rows, shape);
  }
  const answer = await runRead(engine, planned);
  request.mark?.("transaction");
  return respondToRead(answer, {
    doing: "read",
    shape,
    preferences: planned.preferences,
    offset: planned.offset,
    withBody: request.method !== "HEAD",
    location: canonicalLocation(table.name, pairs),
    known: header(request, "if-none-match"),
  });
}

function planTable<Context>(
  request: DataApiRequest<Context>,
  engine: Pick<Engine<Context>, "scope" | "rules" | "limits">,
  table: Table<Context>,
  pairs: readonly Pair[],
): PlannedRead {
  const { scope, rules } = engine;
  requireRead(scope, table.declaration.read);
  const hasSearch = table.declaration.search !== undefined;
  const query = parseParameters(pairs, rules, false, { hasSearch });
  const own = madeOfRows(scope.schema, table.name, asksWhole(query));
  const { shape, preferences, paging } = parseRead(request, rules, query, own);
  request.mark?.("parse");
  const plan = planRead(scope, { name: table.name, columns: table.columns, table }, query);
  plan.paging = paging;
  if (rules.limitsCosts) refuseFanOut(plan);
  refuseHiddenPlan(rules, shape, isWhole(plan));
  const count = countOf(rules, preferences, isWhole(plan));
  const options = readOptions(engine, shape, count);
  const statement = readSql(plan, options);
  return {
    preferences,
    shape,
    offset: paging.offset ?? 0,
    count,
    isCostly: isCostlyRead(query, plan, count),
    plan,
    statement: query.search === undefined ? statement : plannedAnew(statement),
    matching: () => countSql(plan, options),
  };
}

const plannedAnew = ({ text, values }: Statement): Statement => ({
  text,
  values,
  isPlannedAnew: true,
});

/** The address of the rows with its parameters in order, as PostgREST gives it. */
function canonicalLocation(table: string, pairs: readonly Pair[]): string {
  const values = new Map<string, string>();
  for (const [key, value] of pairs) {
    const before = values.get(key);
    const given = percentEncoded(value);
    values.set(key, before === undefined ? given : `${before},${given}`);
  }
  const query = [...values.keys()]
    .sort()
    .map((key) => `${percentEncoded(key)}=${values.get(key)}`)
    .join("&");
  // A header takes printable characters only.
  const name = isPlain(table) ? table : table.replaceAll(/[^\x20-\x7e]+/g, encodeURIComponent);
  return `/${name}${query === "" ? "" : `?${query}`}`;
}

/** Whether a text stands in an address as it is. */
const isPlain = (text: string) => /^[\w.~-]*$/.test(text);

const percentEncoded = (text: string) =>
  isPlain(text)
    ? text
    : encodeURIComponent(text.toWellFormed()).replaceAll(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      );
