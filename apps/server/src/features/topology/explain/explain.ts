import {
  type Cause,
  type ExplainedKind,
  type Explanation,
  type Health,
  isHealth,
  worstHealth,
} from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { Queryable } from "#platform/db/database.ts";
import { notFound } from "#platform/errors.ts";
import { changesBefore, itemsOfCheck, itemsOfComponents } from "./changes-before.ts";
import { explainComponent } from "./component-causes.ts";

const mostCauses = 50;

/** What is known of one thing before its changes are looked for. */
interface Known {
  name: string;
  health: Health;
  status: string | null;
  since: Date | undefined;
  causes: Cause[];
  isCut?: boolean;
  /** Items whose changes, and those of what is related to them, may be why. */
  items: () => Promise<string[]>;
}

/** Why something is as it is, since when, and what changed before. */
export async function explain(
  ctx: Ctx,
  tx: Queryable,
  { kind, id }: { kind: ExplainedKind; id: string },
): Promise<Explanation> {
  const known = await readers[kind](ctx, tx, id);
  if (!known) throw notFound(`There is no such ${kind === "config" ? "item" : kind}.`);
  const { name, health, status, since } = known;
  const isWell = health === "healthy";
  const about = { kind, id, name, health, status, ...(since && { since: since.toISOString() }) };
  if (isWell)
    return {
      ...about,
      text: `${name} is healthy: nothing says otherwise.`,
      isWell,
      causes: [],
      hasMoreCauses: false,
      changes: [],
      hasMoreChanges: false,
    };
  const causes = known.causes.toSorted(byImportance);
  const changes = ctx.can("config_scrapers", "read")
    ? await changesBefore(tx, await known.items(), since ?? ctx.clock.now())
    : { changes: [], hasMoreChanges: false };
  return {
    ...about,
    text: textOf(name, health, causes),
    isWell,
    causes: causes.slice(0, mostCauses),
    hasMoreCauses: (known.isCut ?? false) || causes.length > mostCauses,
    ...changes,
  };
}

/** Reasons first, then what is nearest to them; of these what turned first. */
function byImportance(a: Cause, b: Cause): number {
  const kinds: readonly Cause["kind"][] = ["fault", "check", "source", "script", "item", "insight"];
  return (
    Number(b.isReason) - Number(a.isReason) ||
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
    (a.since ?? "9").localeCompare(b.since ?? "9") ||
    b.path.length - a.path.length ||
    a.name.localeCompare(b.name)
  );
}

function textOf(name: string, health: Health, causes: readonly Cause[]): string {
  const reasons = causes.filter(({ isReason }) => isReason);
  const [first] = reasons;
  if (!first) return `${name} is ${health}, and nothing says why.`;
  const at = first.path.map((step) => step.name).join(" › ");
  const said = first.message ? `: ${first.message.split("\n")[0]!.slice(0, 300)}` : "";
  const what = {
    check: `the check ${first.name} of ${at} is ${health}${said}`,
    source: `${at} is said to be so${said}`,
    script: `the script of ${at} makes it so${said}`,
    fault: `a script of ${at} failed${said}`,
    item: `${first.name} is ${first.health ?? health}${said}`,
    insight: `${first.name}${said}`,
  }[first.kind];
  const more = reasons.length - 1;
  const others = more === 0 ? "" : more === 1 ? " (and one more)" : ` (and ${more} more)`;
  return `${name} is ${health}: ${what}${others}`;
}

type Read = (ctx: Ctx, tx: Queryable, id: string) => Promise<Known | undefined>;

const component: Read = async (ctx, tx, id) => {
  const found = await explainComponent(tx, id, {
    checks: ctx.can("canaries", "read"),
    configs: ctx.can("config_scrapers", "read"),
  });
  return found && { ...found, items: () => itemsOfComponents(tx, found.componentIds) };
};

const check: Read = async (_ctx, tx, id) => {
  const row = await tx.first<{
    name: string;
    type: string;
    status: string;
    since: Date | null;
    message: string | null;
  }>(sql`
    select k.name, k.type, k.last_transition_time as since,
           case when k.result_due < now() then 'unknown' else coalesce(k.status, 'unknown') end as status,
           left(case when k.result_due < now() then 'Its result is overdue.' else
                  coalesce(t.held, t.untried, nullif(t.error, ''), t.message) end, 2000) as message
      from checks k left join check_totals t on t.check_id = k.id
     where k.id = ${id} and k.deleted_at is null`);
  if (!row) return undefined;
  const { name, type, status, message } = row;
  const since = row.since ?? undefined;
  const health = isHealth(status) ? status : "unknown";
  const step = { kind: "check", id, name, health } as const;
  return {
    name,
    health,
    status,
    since,
    causes: [
      {
        kind: "check",
        id,
        name,
        type,
        health,
        ...(since && { since: since.toISOString() }),
        ...(message && { message }),
        isReason: true,
        path: [step],
      },
    ],
    items: () => itemsOfCheck(tx, id),
  };
};

interface ItemRow {
  id: string;
  name: string | null;
  type: string;
  health: string | null;
  status: string | null;
  description: string | null;
  since: Date | null;
}

/** The latest version that another health ended with; where it never had one, when it was first seen. */
const itemSince = sql`coalesce(
  (select max(v.changed_at) from config_item_versions v where v.config_id = i.id and v.was ? 'health'),
  (select s.first_seen_at from config_item_scrapes s where s.config_id = i.id)) as since`;

const config: Read = async (ctx, tx, id) => {
  const row = await tx.first<ItemRow>(sql`
    select i.id, i.name, i.type, i.health, i.status, i.description, ${itemSince}
      from config_items i where i.id = ${id} and i.deleted_at is null`);
  if (!row) return undefined;
  const health = worstHealth([row.health].filter(isHealth));
  const name = row.name ?? id;
  const own = causeOfItem(row, []);
  const causes: Cause[] = [{ ...own, kind: "source", isReason: true }];
  if (health !== "healthy") {
    // What it is made of, and what looks at it.
    const below = await tx.rows<ItemRow & { level: number }>(sql`
      select i.id, i.name, i.type, i.health, i.status, i.description, ${itemSince}
        from (select w.related_id as id, min(w.depth) as depth
                from walk_config_relationships(${id}, 'outgoing', 3, 'both', 'both', 500) w where not w.is_cut group by 1) w
        join config_items i on i.id = w.id and i.deleted_at is null and i.health = ${health} and i.id <> ${id}
       order by w.depth, i.name limit ${mostCauses}`);
    causes.push(...below.map((item) => causeOfItem(item, own.path)));
    if (ctx.can("canaries", "read")) causes.push(...(await checksOfItem(tx, id, own.path)));
  }
  return {
    name,
    health,
    status: row.status,
    since: row.since ?? undefined,
    causes,
    items: async () => [id],
  };
};

function causeOfItem(row: ItemRow, path: Cause["path"]): Cause {
  const health = worstHealth([row.health].filter(isHealth));
  const since = row.since && { since: row.since.toISOString() };
  const name = row.name ?? row.id;
  const message = row.description ?? row.status;
  return {
    kind: "item",
    id: row.id,
    name,
    type: row.type,
    health,
    ...since,
    ...(message && { message: message.slice(0, 2000) }),
    isReason: false,
    path: [...path, { kind: "config", id: row.id, name, health, ...since }],
  };
}

async function checksOfItem(tx: Queryable, id: string, path: Cause["path"]): Promise<Cause[]> {
  const rows = await tx.rows<{
    id: string;
    name: string;
    type: string;
    since: Date | null;
    message: string | null;
  }>(sql`
    select distinct on (k.id) k.id, k.name, k.type, k.last_transition_time as since,
           left(coalesce(nullif(t.error, ''), t.message), 2000) as message
      from check_config_relationships r join checks k on k.id = r.check_id and k.deleted_at is null
      left join check_totals t on t.check_id = k.id
     where r.config_id = ${id} and r.deleted_at is null and k.status = 'unhealthy'
       and (k.result_due is null or k.result_due >= now())
     order by k.id limit ${mostCauses}`);
  return rows.map(({ since, message, ...row }) => ({
    ...row,
    kind: "check",
    health: "unhealthy",
    ...(since && { since: since.toISOString() }),
    ...(message && { message }),
    isReason: false,
    path,
  }));
}

const readers: Record<ExplainedKind, Read> = { component, check, config };
