import { createHash } from "node:crypto";
import { checkRelationships, type SelectorSpec } from "@mainstay/contract";
import type { Mapping } from "@mainstay/scripting";
import sql, { raw, type Sql } from "sql-template-tag";
import { itemLookup, lookupSelector, ScrapeScriptMistake } from "#features/catalog/index.ts";
import type { Ctx } from "#platform/context.ts";
import type { ScheduledJob } from "#platform/jobs/job.ts";
import { selectComponents } from "./select-components.ts";

/** Items, or components, that one check may belong to; of more these are kept. */
const mostItems = 1000;
const localAgent = "00000000-0000-0000-0000-000000000000";

interface CheckRow {
  id: string;
  canary_id: string;
  name: string;
  canary: string;
  labels: Record<string, string> | null;
  relationships: unknown;
  status: boolean | null;
  message: string | null;
  error: string | null;
  duration: number | null;
  details: Mapping | null;
}

/** What a check may belong to. */
type Target = "configs" | "components";

interface Ties {
  /** Where they are kept, by the id of what is related. */
  table: Sql;
  column: Sql;
  targets: Sql;
  /** How people call what is related. */
  noun: string;
  /** Told from what others say: components select checks, too, and people link things by hand. */
  keyOf(lookup: SelectorSpec): string;
  isOurs: Sql;
}

const hashOf = (lookup: SelectorSpec) =>
  createHash("sha256").update(JSON.stringify(lookup)).digest("hex").slice(0, 32);

const ties: Record<Target, Ties> = {
  configs: {
    table: raw("check_config_relationships"),
    column: raw("config_id"),
    targets: raw("config_items"),
    noun: "items",
    keyOf: hashOf,
    isOurs: sql`r.selector_id is not null and r.selector_id <> 'manual'`,
  },
  components: {
    table: raw("check_component_relationships"),
    column: raw("component_id"),
    targets: raw("components"),
    noun: "components",
    keyOf: (lookup) => `check/${hashOf(lookup)}`,
    isOurs: sql`r.selector_id like 'check/%'`,
  },
};
const targets = ["configs", "components"] as const;

/** A check and what it belongs to, by the lookup that says so. */
interface Related {
  target_id: string;
  check_id: string;
  canary_id: string;
  selector_id: string;
}

/** Checks that are looked at together: each is held with all that it said last. */
const together = 50;
/** Nobody reads more mistakes than these. */
const mostErrors = 100;

/** Checks that say what they belong to; those that a check's results make say it as it does. */
const relating = sql`
      from checks c
      join canaries n on n.id = c.canary_id and n.deleted_at is null
      left join checks p on p.id = c.parent_id
     where c.deleted_at is null and c.agent_id = ${localAgent} and coalesce(p.spec, c.spec) ? 'relationships'`;

/** Some of them, with what they said last. */
const readChecks = (ctx: Pick<Ctx, "db">, ids: readonly string[]) =>
  ctx.db.rows<CheckRow>(sql`
    select c.id, c.canary_id, c.name, n.namespace || '/' || n.name as canary, c.labels,
           coalesce(p.spec, c.spec) -> 'relationships' as relationships,
           s.status, s.message, s.error, s.duration, s.details
      from checks c
      join canaries n on n.id = c.canary_id and n.deleted_at is null
      left join checks p on p.id = c.parent_id
      left join check_statuses s on s.check_id = c.id and s.time = c.last_runtime
     where c.id = any(${[...ids]}::uuid[])
     order by c.id`);

/** What expressions see: the last result as `result`. Source: spec formats, section 4.3. */
function contextOf({ name, labels, status, message, error, duration, details }: CheckRow): Mapping {
  return {
    result: {
      ...details,
      results: details ?? {},
      name,
      labels: labels ?? {},
      pass: status === true,
      message: message ?? "",
      error: error ?? "",
      duration: duration ?? 0,
    },
  };
}

type LookUp = ReturnType<typeof lookUpOf>[Target];

function lookUpOf(ctx: Ctx) {
  const selectorOf = ctx.service(lookupSelector);
  return {
    configs: ctx.service(itemLookup),
    components: async (...given: Parameters<typeof selectorOf>): Promise<string[]> => {
      const selector = await selectorOf(...given);
      return selector ? selectComponents(ctx.db, selector) : [];
    },
  };
}

/** Finds the items and components that checks belong to, by what their documents say and what they said last. */
export async function relateChecks(ctx: Ctx): Promise<{ related: number; errors: string[] }> {
  const lookUp = lookUpOf(ctx);
  const errors: string[] = [];
  const all = (await ctx.db.rows<{ id: string }>(sql`select c.id ${relating} order by c.id`)).map(
    ({ id }) => id,
  );
  let related = 0;
  for (let from = 0; from < all.length; from += together) {
    const ids = all.slice(from, from + together);
    const found = await findRelated(ctx, ids, { lookUp, errors });
    for (const target of targets) {
      await write(ctx, ties[target], { found: found[target], ids });
      related += found[target].length;
    }
  }
  for (const target of targets) await endOthers(ctx, ties[target], all);
  const left = errors.length - mostErrors;
  return {
    related,
    errors: left > 0 ? [...errors.slice(0, mostErrors), `and ${left} more`] : errors,
  };
}

async function findRelated(
  ctx: Ctx,
  ids: readonly string[],
  { lookUp, errors }: { lookUp: Readonly<Record<Target, LookUp>>; errors: string[] },
): Promise<Record<Target, Related[]>> {
  const found: Record<Target, Related[]> = { configs: [], components: [] };
  for (const check of await readChecks(ctx, ids)) {
    ctx.signal.throwIfAborted();
    const read = checkRelationships.safeParse(check.relationships);
    if (!read.success) continue;
    for (const target of targets) {
      const lookups = read.data[target] ?? [];
      found[target].push(
        ...(await relatedBy(check, { target, lookups, lookUp: lookUp[target], errors })),
      );
    }
  }
  return found;
}

async function relatedBy(
  check: CheckRow,
  {
    target,
    lookups,
    lookUp,
    errors,
  }: { target: Target; lookups: readonly SelectorSpec[]; lookUp: LookUp; errors: string[] },
): Promise<Related[]> {
  const { noun, keyOf } = ties[target];
  const source = { labels: check.labels ?? {}, context: () => contextOf(check) };
  // A document may say the same twice.
  const own = new Map<string, Related>();
  for (const [index, lookup] of lookups.entries()) {
    try {
      const ids = await lookUp(`relationships.${target}.${index}`, lookup, source);
      const selectorId = keyOf(lookup);
      for (const id of ids)
        own.set(`${id}/${selectorId}`, {
          target_id: id,
          check_id: check.id,
          canary_id: check.canary_id,
          selector_id: selectorId,
        });
    } catch (error) {
      if (!(error instanceof ScrapeScriptMistake)) throw error;
      errors.push(`${check.canary}, ${check.name}: ${error.message}`);
    }
  }
  if (own.size > mostItems)
    errors.push(
      `${check.canary}, ${check.name}: ${own.size} ${noun} are selected, ${mostItems} of them are kept.`,
    );
  return [...own.values()].slice(0, mostItems);
}

/** What these checks no longer select ends; what somebody has related by hand stays. */
async function write(
  ctx: Ctx,
  { table, column, targets: things, isOurs }: Ties,
  { found, ids }: { found: readonly Related[]; ids: readonly string[] },
): Promise<void> {
  const json = JSON.stringify(found);
  await ctx.db.transaction(async (tx) => {
    const given = sql`jsonb_to_recordset(${json}::jsonb) g (target_id uuid, check_id uuid, canary_id uuid, selector_id text)`;
    // Things and checks that have gone meanwhile have nothing to be related to.
    await tx.run(sql`
      insert into ${table} as r (${column}, check_id, canary_id, selector_id)
      select g.target_id, g.check_id, g.canary_id, g.selector_id
        from ${given} join ${things} i on i.id = g.target_id join checks c on c.id = g.check_id
       order by 1, 2
      on conflict (${column}, check_id, canary_id, selector_id) do update set deleted_at = null
       where r.deleted_at is not null`);
    await tx.run(sql`
      update ${table} r set deleted_at = now()
       where r.check_id = any(${[...ids]}::uuid[]) and r.deleted_at is null and ${isOurs}
         and not exists (select from ${given}
                          where g.target_id = r.${column} and g.check_id = r.check_id and g.selector_id = r.selector_id)`);
  });
}

/** What checks of here have said that say nothing any more ends; what agents say of theirs stays. */
const endOthers = (ctx: Ctx, { table, isOurs }: Ties, ids: readonly string[]): Promise<unknown> =>
  ctx.db.run(sql`
    update ${table} r set deleted_at = now()
      from checks c
     where c.id = r.check_id and c.agent_id = ${localAgent} and r.deleted_at is null and ${isOurs}
       and not exists (select from unnest(${[...ids]}::uuid[]) g (id) where g.id = r.check_id)`);

/** Its name in the job history is this product's own. */
export const relateChecksJob: ScheduledJob = {
  name: "RelateChecks",
  schedule: "@every 1m",
  timeoutMs: 60_000,
  retention: "few",
  async run(ctx) {
    const { related, errors } = await relateChecks(ctx);
    return { successes: related, errors };
  },
};
