import { type CatalogGroup, parseDuration, searchText } from "@mainstay/contract";
import sql, { join, raw, type Sql } from "sql-template-tag";
import { z } from "zod";
import type { Ctx } from "#platform/context.ts";
import { invalid } from "#platform/errors.ts";
import { askShared } from "#platform/http/shares.ts";
import { all, orUnknown } from "#features/search/index.ts";
import { filterOfTexts, longestMs, matches } from "../reading.ts";

const mostKeys = 10;
const mostGroups = 10_000;
/** The window in which `config_change_totals` counts. */
const countedDays = 30;

const windows = ["1d", "7d", "30d"] as const;

/** What every group has besides the keys by which is grouped. */
const ownKeys = new Set([
  "count",
  "health",
  "created_at",
  "updated_at",
  "changes",
  "analysis",
  "cost_per_minute",
  ...windows.flatMap((window) => [`cost_${window}`, `cost_total_${window}`]),
]);

const keys = z.array(searchText.max(256).min(1)).max(mostKeys).nullish();
const since = z
  .object({
    since: z
      .string()
      .max(64)
      .transform((text, { addIssue }) => {
        try {
          return parseDuration(text);
        } catch (error) {
          addIssue((error as Error).message);
          return z.NEVER;
        }
      })
      .nullish(),
  })
  .nullish();

/** The body of `POST /api/catalog/summary`. */
export const SummaryInput = z.object({
  /** `type`, and keys of tags. */
  groupBy: keys,
  /** Further keys of tags. */
  tags: keys,
  /** By the key of a label. */
  filter: z
    .record(searchText.max(256), filterOfTexts)
    .refine((labels) => Object.keys(labels).length <= mostKeys, `At most ${mostKeys} labels.`)
    .nullish(),
  health: filterOfTexts.nullish(),
  status: filterOfTexts.nullish(),
  /** Deleted items as well. */
  deleted: z.boolean().nullish(),
  cost: z.enum(windows).nullish(),
  changes: since,
  /** Open insights, however old they are. */
  analysis: since,
});
export type SummaryInput = z.infer<typeof SummaryInput>;

interface Row extends Pick<CatalogGroup, "count" | "health" | "created_at" | "updated_at"> {
  keys: Record<string, string | null>;
  changes: number;
  analysis: Record<string, number> | null;
  costs: Partial<CatalogGroup>;
}

/** How many items there are of each group, how they are, what changed and what was found wrong. */
export async function summarize(
  ctx: Ctx,
  input: SummaryInput,
  spent: (ms: number) => void,
): Promise<CatalogGroup[]> {
  const statement = statementOf(input, ctx.clock.now());
  const groups = await askShared({
    db: ctx.db,
    spent,
    longestMs,
    // What is grouped is many rows of few bytes.
    settings: { work_mem: "32MB" },
    ask: (tx) => tx.rows<Row>(statement),
  });
  if (groups.length > mostGroups)
    throw wrongKeys(`These are more than ${mostGroups} groups: group by fewer tags.`);
  const hasChanges = typeof input.changes?.since === "number";
  return groups.map(({ keys: own, changes, analysis, costs, ...numbers }) => ({
    type: "",
    ...own,
    ...numbers,
    ...(hasChanges && { changes }),
    ...(analysis && { analysis }),
    ...costs,
  }));
}

function statementOf(input: SummaryInput, now: Date): Sql {
  const { cost, changes, analysis } = input;
  const by = keysOf(input);
  const where = conditionOf(input);
  const values = join(
    by.map((key, place) =>
      key === "type"
        ? sql`i.type as ${raw(`key_${place}`)}`
        : sql`i.tags ->> ${key}::text as ${raw(`key_${place}`)}`,
    ),
  );
  const columns = raw(by.map((_, place) => `key_${place}`).join(", "));
  const costs = cost
    ? sql`sum(i.cost_per_minute) as cost_per_minute, sum(i.cost_total_1d) as cost_total_1d,
          sum(i.cost_total_7d) as cost_total_7d, sum(i.cost_total_30d) as cost_total_30d`
    : sql`null::numeric as cost_per_minute, null::numeric as cost_total_1d, null::numeric as cost_total_7d,
          null::numeric as cost_total_30d`;
  const nothing = sql`null::timestamptz, null::timestamptz, null::numeric, null::numeric, null::numeric, null::numeric`;
  const parts = [
    sql`select ${values}, 'health' as part, ${orUnknown(sql`i.health`)} as of, count(*) as n,
               max(i.created_at) as created_at, max(i.updated_at) as updated_at, ${costs}
          from config_items i where ${where} group by ${columns}, of`,
    ...(typeof changes?.since === "number"
      ? [
          sql`select ${values}, 'changes', null, sum(c.n), ${nothing}
                from (${changesSince(changes.since, now)}) c join config_items i on i.id = c.config_id
               where ${where} group by ${columns}`,
        ]
      : []),
    ...(changes || analysis
      ? [
          sql`select ${values}, 'analysis', coalesce(a.analysis_type, 'other') as of, count(*), ${nothing}
                from config_analysis a join config_items i on i.id = a.config_id
               where a.status = 'open' and ${where} group by ${columns}, of`,
        ]
      : []),
  ];
  const pairs = join(by.map((key, place) => sql`${key}::text, ${raw(`key_${place}`)}`));
  return sql`
    select jsonb_build_object(${pairs}) as keys,
           sum(n) filter (where part = 'health')::float8 as count,
           jsonb_object_agg(of, n) filter (where part = 'health') as health,
           max(created_at) as created_at, max(updated_at) as updated_at,
           coalesce(sum(n) filter (where part = 'changes'), 0)::float8 as changes,
           jsonb_object_agg(of, n) filter (where part = 'analysis') as analysis,
           jsonb_strip_nulls(jsonb_build_object(
             ${`cost_${cost ?? windows[0]}`}::text, sum(${raw(`cost_total_${cost ?? windows[0]}`)}),
             'cost_per_minute', sum(cost_per_minute), 'cost_total_1d', sum(cost_total_1d),
             'cost_total_7d', sum(cost_total_7d), 'cost_total_30d', sum(cost_total_30d))) as costs
      from (${join(parts, " union all ")}) parts
     group by ${columns} order by ${columns} limit ${mostGroups + 1}`;
}

function keysOf({ groupBy, tags }: SummaryInput): string[] {
  const by = [...new Set([...(groupBy ?? []), ...(tags ?? [])])];
  const taken = by.find((key) => ownKeys.has(key));
  if (taken !== undefined)
    throw wrongKeys(
      `It cannot be grouped by a tag called ${taken}: every group has a number of that name.`,
    );
  if (by.length > mostKeys) throw wrongKeys(`It can be grouped by ${mostKeys} tags at most.`);
  return by.length > 0 ? by : ["type"];
}

const wrongKeys = (message: string) => invalid(message, [{ path: "groupBy", message }]);

const conditionOf = ({ deleted, health, status, filter }: SummaryInput): Sql =>
  all(
    [
      deleted ? undefined : sql`i.deleted_at is null`,
      matches(orUnknown(sql`i.health`), health),
      matches(sql`i.status`, status),
      ...Object.entries(filter ?? {}).map(([label, values]) =>
        matches(sql`(i.labels ->> ${label}::text)`, values),
      ),
    ].filter((condition) => condition !== undefined),
  );

/** How many changes each item had; the longest of the usual windows has been counted already. */
const changesSince = (ms: number, now: Date): Sql =>
  ms === countedDays * 86_400_000
    ? sql`select config_id, total as n from config_change_totals where total > 0`
    : sql`select config_id, count(*) as n from config_changes
           where created_at > ${new Date(now.getTime() - ms)} group by config_id`;
