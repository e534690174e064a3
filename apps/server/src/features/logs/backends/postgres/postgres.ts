import { createHash } from "node:crypto";
import {
  lineLevelOf,
  type LogBucket,
  type LogTerm,
  type PostgresBackend,
  spellingsOf,
} from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { asPlain } from "#platform/outbound/http/read-json.ts";
import { queryPostgres } from "#platform/outbound/sql/postgres.ts";
import { readPostgresTarget } from "#platform/outbound/sql/postgres-target.ts";
import { addTo, bucketStart, countByReading, sorted } from "../count-by-reading.ts";
import { flatten, lineOf } from "../line-of.ts";
import { parseLine } from "../lines/parse-line.ts";
import type { LinesPageQuestion, LinesQuestion, LogBackend } from "../log-backend.ts";
import { matchLines } from "../match-lines.ts";
import { printNanos, readEpoch } from "../nanos.ts";
import { outbound } from "../outbound.ts";
import { type FoundLine, pageByTime } from "../page-by-time.ts";

/** A query that takes longer is stopped by the database itself. */
const longestMs = 30_000;
const atOnce = 1000;
const timeColumn = "mainstay_time";

/** A name as SQL writes it, whatever is in it. */
function quoted(name: string): string {
  if (name.includes("\0")) throw new Error("a name of a column holds a character that none may");
  return `"${name.replaceAll('"', '""')}"`;
}

const sourceOf = ({ table, query }: PostgresBackend): string =>
  table === undefined
    ? `(${(query ?? "").trim().replace(/;+$/, "")}\n)`
    : table.split(".", 2).map(quoted).join(".");

/** No more than what is said of them: other columns may hold anything. */
const selected = ({ columns: { timestamp, message, level, id, labels = [] } }: PostgresBackend) =>
  [...new Set([timestamp, message, level, id, ...labels])]
    .flatMap((name) => (name === undefined ? [] : [`t.${quoted(name)}`]))
    .join(", ");

interface Conditions {
  sql: string[];
  values: unknown[];
  left: LogTerm[];
}

const literal = (text: string) => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

/** What the database is asked of a search; patterns are none of its own (RE2), and are looked for afterwards. */
function conditionsOf({ columns }: PostgresBackend, { labels, search }: LinesQuestion): Conditions {
  const conditions: Conditions = { sql: [], values: [], left: [] };
  const value = (one: unknown) => `$${conditions.values.push(one)}`;
  const terms: LogTerm[] = [
    ...search.terms,
    ...Object.entries(labels).map(([label, text]): LogTerm => ({
      kind: "label",
      label,
      values: [text],
      isNot: false,
    })),
  ];
  for (const term of terms) {
    const condition = conditionOf(term);
    if (condition === undefined) conditions.left.push(term);
    else conditions.sql.push(term.isNot ? `not (${condition})` : condition);
  }
  return conditions;

  function conditionOf(term: LogTerm): string | undefined {
    switch (term.kind) {
      case "text":
        return `coalesce(t.${quoted(columns.message)}::text, '') ilike ${value(`%${literal(term.text)}%`)}::text`;
      case "label":
        return columns.labels?.includes(term.label)
          ? `coalesce(t.${quoted(term.label)}::text, '') = any (${value(term.values)}::text[])`
          : undefined;
      case "level":
        return columns.level === undefined
          ? undefined
          : `lower(coalesce(t.${quoted(columns.level)}::text, '')) = any (${value(term.levels.flatMap(spellingsOf))}::text[])`;
      case "pattern":
        return undefined;
    }
  }
}

async function rows(
  ctx: Ctx,
  spec: PostgresBackend,
  { query, values }: { query: string; values: readonly unknown[] },
): Promise<Record<string, unknown>[]> {
  const target = readPostgresTarget({
    url: spec.url ?? spec.connection,
    username: spec.username,
    password: spec.password,
  });
  if (!target)
    throw new Error("url: this is no address of PostgreSQL, such as postgres://user@host/database");
  const found: Record<string, unknown>[] = [];
  await queryPostgres(target, {
    query,
    values,
    signal: ctx.signal,
    limitMs: longestMs,
    connector: ctx.service(outbound),
    row(row) {
      found.push(row);
      return true;
    },
  });
  return found;
}

const textOf = (value: unknown): string =>
  value === null || value === undefined
    ? ""
    : value instanceof Date
      ? value.toISOString()
      : typeof value === "object"
        ? JSON.stringify(value)
        : typeof value === "bigint"
          ? value.toString()
          : asPlain(value);

function lineIn(row: Record<string, unknown>, { columns }: PostgresBackend, now: Date): FoundLine {
  const { [timeColumn]: time, ...own } = row;
  const nanos = readEpoch(textOf(time)) ?? BigInt(Math.trunc(Number(time) * 1e6)) * 1000n;
  const message = textOf(own[columns.message]);
  const labels = Object.fromEntries(
    (columns.labels ?? []).flatMap((name): [string, string][] => {
      const value = own[name];
      if (value === null || value === undefined) return [];
      if (typeof value === "object" && !(value instanceof Date) && !Array.isArray(value))
        return Object.entries(flatten(value));
      return [[name, textOf(value)]];
    }),
  );
  const level =
    columns.level === undefined
      ? parseLine(message, { now }).level
      : lineLevelOf(textOf(own[columns.level]));
  const named = columns.id === undefined ? undefined : textOf(own[columns.id]);
  const id =
    named ??
    createHash("sha1")
      .update(JSON.stringify([String(nanos), own]))
      .digest("base64url");
  return { line: lineOf({ id, nanos, message, labels, level }), nanos, message };
}

function read(ctx: Ctx, spec: PostgresBackend, question: LinesPageQuestion) {
  const { columns } = spec;
  const { sql, values, left } = conditionsOf(spec, question);
  const isMeant = matchLines(left);
  const order = question.direction === "backward" ? "desc" : "asc";
  const time = `t.${quoted(columns.timestamp)}`;
  return pageByTime({
    question,
    signal: ctx.signal,
    atOnce,
    isMeant: ({ line, message }) => isMeant({ ...line, message }),
    async readSpan({ from, to, isToIncluded, limit }) {
      const n = values.length;
      const conditions = [
        `${time} >= $${n + 1}`,
        `${time} ${isToIncluded ? "<=" : "<"} $${n + 2}`,
        ...sql,
      ];
      const then = columns.id === undefined ? "" : `, t.${quoted(columns.id)} ${order}`;
      const found = await rows(ctx, spec, {
        query: `select ${selected(spec)}, extract(epoch from ${time})::text as ${timeColumn} from ${sourceOf(spec)} t where ${conditions.join(" and ")} order by ${time} ${order}${then} limit ${limit}`,
        values: [...values, printNanos(from), printNanos(to)],
      });
      return found.map((row) => lineIn(row, spec, ctx.clock.now()));
    },
  });
}

async function count(
  ctx: Ctx,
  spec: PostgresBackend,
  question: LinesQuestion & { step: number },
): Promise<{ buckets: LogBucket[]; notices?: string[] }> {
  const { columns } = spec;
  const { sql, values, left } = conditionsOf(spec, question);
  if (left.length > 0) return countByReading(question, (page) => read(ctx, spec, page));
  const { from, to, step } = question;
  const origin = bucketStart(+from, step);
  const n = values.length;
  const time = `t.${quoted(columns.timestamp)}`;
  const level =
    columns.level === undefined ? "''" : `lower(coalesce(t.${quoted(columns.level)}::text, ''))`;
  const found = await rows(ctx, spec, {
    query: `select floor((extract(epoch from ${time}) * 1000 - $${n + 3}::numeric) / $${n + 4}::numeric)::int8::text as place, ${level} as level, count(*)::text as lines from ${sourceOf(spec)} t where ${[`${time} >= $${n + 1}`, `${time} < $${n + 2}`, ...sql].join(" and ")} group by 1, 2 limit 5000`,
    values: [...values, from.toISOString(), to.toISOString(), origin, step],
  });
  const buckets = new Map<number, LogBucket>();
  for (const row of found)
    addTo(buckets, {
      at: origin + Number(row.place) * step,
      step,
      level: lineLevelOf(textOf(row.level)) ?? "none",
      count: Number(row.lines),
    });
  return { buckets: sorted(buckets) };
}

/** A table of PostgreSQL, or what a query gives. */
export const postgres: LogBackend<PostgresBackend> = { type: "postgres", read, count };
