import { type CatalogGroup, parseDuration, searchText } from "@mainstay/contract";
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { z } from "zod";
import type { Ctx } from "#platform/context.ts";
import { invalid } from "#platform/errors.ts";
import { askShared } from "#platform/http/shares.ts";
import { all, orUnknown } from "#features/search/index.ts";
import { filterOfTexts, longestMs, matches } from "../reading.ts";

const mostKeys = 10;
const mostGroups = 50_000;
/** The window in which `config_change_sums` counts. */
const countedMs = 30 * 86_400_000;

const windows = ["1d", "7d", "30d"] as const;
const costColumns = ["cost_per_minute", "cost_total_1d", "cost_total_7d", "cost_total_30d"];

/** What every group has besides the keys by which is grouped. */
const ownKeys = new Set([
  "count",
  "health",
  "created_at",
  "updated_at",
  "changes",
  "analysis",
  "analysis_severity",
  ...costColumns,
  ...windows.map((window) => `cost_${window}`),
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
  /** By type and severity, with a line break between them. */
  insights: Record<string, number> | null;
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
  return groups.map(({ keys: own, changes, insights, costs, ...numbers }) => ({
    type: "",
    ...own,
    ...numbers,
    ...(hasChanges && { changes }),
    ...(insights && countInsights(insights)),
    ...costs,
  }));
}

function countInsights(
  insights: Readonly<Record<string, number>>,
): Required<Pick<CatalogGroup, "analysis" | "analysis_severity">> {
  const byType = Map.groupBy(Object.entries(insights), ([of]) => of.split("\n", 1)[0]!);
  const entries = [...byType].map(([type, counts]) => ({
    type,
    count: counts.reduce((sum, [, n]) => sum + n, 0),
    severities: Object.fromEntries(counts.map(([of, n]) => [of.slice(type.length + 1), n])),
  }));
  return {
    analysis: Object.fromEntries(entries.map(({ type, count }) => [type, count])),
    analysis_severity: Object.fromEntries(
      entries.map(({ type, severities }) => [type, severities]),
    ),
  };
}

function statementOf(input: SummaryInput, now: Date): Sql {
  const { cost, changes, analysis } = input;
  const by = keysOf(input);
  const where = conditionOf(input);
  const names = by.map((_, place) => raw(`key_${place}`));
  const values = by.map((key, place) =>
    key === "type"
      ? sql`i.type as ${names[place]}`
      : sql`i.tags ->> ${key}::text as ${names[place]}`,
  );
  const columns = join(names);
  const costs = raw(
    costColumns.map((column) => (cost ? `i.${column}` : `null::numeric as ${column}`)).join(", "),
  );
  const sums = raw(costColumns.map((column) => `sum(${column}) as ${column}`).join(", "));
  const counted = typeof changes?.since === "number" ? changesSince(changes.since, now) : undefined;
  const isByTypeAlone = isIndexed(input, by);
  const parts = [
    ...(isByTypeAlone && !input.health && changes?.since === countedMs
      ? [itemsByType(names[0]!, { costs, sums }), ...sumsByType]
      : [
          sql`select ${columns}, 'health' as part, health as of, count(*) as n, max(created_at) as created_at,
                     max(updated_at) as updated_at, ${sums}, ${counted ? sql`sum(c.n)` : sql`0`} as changed
                from chosen ${counted ? sql`left join (${counted}) c on c.config_id = chosen.id` : empty}
               group by ${columns}, health`,
        ]),
    ...(changes || analysis
      ? [
          sql`select ${columns}, 'insights', coalesce(a.analysis_type, 'other') || chr(10) || coalesce(a.severity, 'info'), count(*), null::timestamptz, null::timestamptz,
                     null::numeric, null::numeric, null::numeric, null::numeric, 0
                from config_analysis a join chosen on chosen.id = a.config_id
               where a.status = 'open' group by ${columns}, a.analysis_type, a.severity`,
        ]
      : []),
  ];
  const pairs = join(by.map((key, place) => sql`${key}::text, ${names[place]}`));
  // What an index holds of all items is read for each part; of what it does not hold items are read once, and kept in few
  // bytes for the parts.
  const once = isByTypeAlone ? raw("not materialized") : raw("materialized");
  return sql`
    with chosen as ${once} (
      select i.id, ${join(values)}, ${orUnknown(sql`i.health`)} as health, i.created_at, i.updated_at, ${costs}
        from config_items i where ${where})
    select jsonb_build_object(${pairs}) as keys,
           sum(n) filter (where part = 'health')::float8 as count,
           jsonb_object_agg(of, n) filter (where part = 'health') as health,
           max(created_at) as created_at, max(updated_at) as updated_at,
           coalesce(sum(changed), 0)::float8 as changes,
           jsonb_object_agg(of, n) filter (where part = 'insights') as insights,
           jsonb_strip_nulls(jsonb_build_object(
             ${`cost_${cost ?? windows[0]}`}::text, sum(${raw(`cost_total_${cost ?? windows[0]}`)}),
             'cost_per_minute', sum(cost_per_minute), 'cost_total_1d', sum(cost_total_1d),
             'cost_total_7d', sum(cost_total_7d), 'cost_total_30d', sum(cost_total_30d))) as costs
      from (${join(parts, " union all ")}) parts
     group by ${columns} having bool_or(part = 'health') order by ${columns} limit ${mostGroups + 1}`;
}

/** In the order of `config_items_summary`: what has no health, and what says so in words, come together afterwards. */
const itemsByType = (name: Sql, { costs, sums }: { costs: Sql; sums: Sql }): Sql => sql`
  select ${name}, 'health' as part, ${orUnknown(sql`health`)} as of, sum(n)::bigint as n, max(created_at) as created_at,
         max(updated_at) as updated_at, ${sums}, 0 as changed
    from (select ${name}, health, count(*) as n, max(created_at) as created_at, max(updated_at) as updated_at, ${sums}
            from (select i.type as ${name}, i.health, i.created_at, i.updated_at, ${costs}
                    from config_items i where i.deleted_at is null) items
           group by ${name}, health) healths
   group by 1, 3`;

/** The sums know the types of their items, unless they were there before them. Few items are deleted: theirs are taken away again. */
const sumsByType: readonly Sql[] = [
  sql`select s.type, sum(s.total) from config_change_sums s where s.total > 0 and s.type is not null group by 1`,
  sql`select s.type, -sum(s.total) from config_items i join config_change_sums s on s.config_id = i.id
       where i.deleted_at is not null and s.total > 0 and s.type is not null group by 1`,
  sql`select i.type, sum(s.total) from config_change_sums s join config_items i on i.id = s.config_id
       where s.total > 0 and s.type is null and i.deleted_at is null group by 1`,
].map(
  (sums) => sql`
    select of_type, 'changes', null, 0, null::timestamptz, null::timestamptz, null::numeric, null::numeric, null::numeric,
           null::numeric, total from (${sums}) sums (of_type, total)`,
);

/** Whether `config_items_summary` holds all that is asked of items. */
const isIndexed = ({ deleted, status, filter }: SummaryInput, by: readonly string[]): boolean =>
  !deleted &&
  !status &&
  Object.keys(filter ?? {}).length === 0 &&
  by.every((key) => key === "type");

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
  ms === countedMs
    ? sql`select config_id, total as n from config_change_sums where total > 0`
    : sql`select config_id, count(*) as n from config_changes
           where created_at > ${new Date(now.getTime() - ms)} group by config_id`;
