import {
  type ChangeCounts,
  type ChangeSeverity,
  changeSeverities,
  type ChangeTimeline,
} from "@mainstay/contract";
import sql, { type Sql } from "sql-template-tag";
import { z } from "zod";
import type { Ctx } from "#platform/context.ts";
import { askShared } from "#platform/http/shares.ts";
import { longestMs } from "../reading.ts";
import { type ChangeConditions, conditionsOf, rangeOf, wrong } from "./conditions-of.ts";
import { countByHour } from "./count-by-hour.ts";
import { ChangeSearch, usualDepth, whole } from "./search-changes.ts";

const usualSpans = 100;
const mostSpans = 400;

/** The body of `/api/catalog/changes/timeline`: a search, and into how many spans its range is cut at most. */
export const TimelineSearch = ChangeSearch.omit({
  page: true,
  page_size: true,
  sort_by: true,
  total: true,
}).extend({ spans: whole.pipe(z.number().int().min(1).max(mostSpans)).nullish() });
export type TimelineSearch = z.infer<typeof TimelineSearch>;

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000] as const;
/** How long a span may be: what people count in. */
const lengths: readonly number[] = [
  ...[1, 5, 10, 30].map((n) => n * second),
  ...[1, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 7, 30, 90, 365, 3_650].map((n) => n * day),
];

/** How many changes of each severity there were in each span of the range, where there were any. */
export async function countChanges(
  ctx: Ctx,
  search: TimelineSearch,
  spent: (ms: number) => void,
): Promise<ChangeTimeline> {
  const now = ctx.clock.now();
  const { start, end = now } = rangeOf(search, now);
  if (!start) throw wrong("from", "a timeline has a beginning; write for example now-30d");
  if (end <= start) throw wrong("from", "it is not before now");
  const atLeast = (end.getTime() - start.getTime()) / (search.spans ?? usualSpans);
  const stepMs = lengths.find((length) => length >= atLeast) ?? Math.ceil(atLeast);
  const conditions = conditionsOf({ ...search, depth: search.depth ?? usualDepth }, now);
  const counted = await askShared({
    db: ctx.db,
    spent,
    longestMs,
    settings: { work_mem: "32MB" },
    ask: async (tx) => tx.rows<Counted>(statementOf(await conditions(tx), stepMs)),
  });
  return {
    from: start.toISOString(),
    to: end.toISOString(),
    step_ms: stepMs,
    spans: toSpans(counted),
  };
}

interface Counted {
  at: Date;
  severity: string | null;
  n: number;
}

/** Read from the index on time alone, where nothing else is asked for; of whole hours from what is counted of them. */
function statementOf(conditions: ChangeConditions, stepMs: number): Sql {
  return sql`
    ${conditions.before}
    select date_bin(make_interval(secs => ${stepMs / 1_000}::float8), at, 'epoch') as at, severity, sum(n)::float8 as n
      from (${countedBy(conditions, stepMs)}) counted
     group by 1, 2 having sum(n) <> 0 order by 1`;
}

function countedBy({ where, counted, ofEachItem }: ChangeConditions, stepMs: number): Sql {
  const byHour = stepMs % hour === 0 ? counted && countByHour(counted) : undefined;
  if (byHour) return byHour;
  const each = sql`select c.created_at as at, c.severity, 1 as n from config_changes c where`;
  return ofEachItem
    ? sql`select of.* from chosen cross join lateral (${each} c.config_id = chosen.id and ${ofEachItem}) of`
    : sql`${each} ${where}`;
}

/** Words of others say nothing of how much it matters. */
const readSeverity = (text: string | null): ChangeSeverity =>
  changeSeverities.find((one) => one === text?.toLowerCase()) ?? "info";

function toSpans(counted: readonly Counted[]): ChangeCounts[] {
  const spans = new Map<number, ChangeCounts>();
  for (const { at, severity: word, n } of counted) {
    const span = spans.get(at.getTime()) ?? { at: at.toISOString() };
    const known = readSeverity(word);
    span[known] = (span[known] ?? 0) + n;
    spans.set(at.getTime(), span);
  }
  return [...spans.values()];
}
