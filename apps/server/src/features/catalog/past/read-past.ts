import {
  type ItemAt,
  type ItemDifference,
  type ItemMoments,
  itemPastDays,
  type ItemState,
} from "@mainstay/contract/catalog-past.ts";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { AppError, invalid, notFound } from "#platform/errors.ts";
import { askShared } from "#platform/http/shares.ts";
import { askedDifferences, type Rebuilt } from "../changes/differences.ts";
import { longestMs } from "../reading.ts";

/**
 * An item as it was. What it is now is a row; each version of it (`config_item_versions`) leads one step back from there:
 * patches of what is configured, and the other columns as they were.
 */

/** Versions between now and the moment that is asked for, bytes of their patches as they are stored, and as they are read. */
const most = { versions: 5_000, storedBytes: 8 * 1024 * 1024, readBytes: 64 * 1024 * 1024 };
const dayMs = 24 * 60 * 60_000;

const columns = ["name", "type", "health", "status", "description"] as const;
type Column = (typeof columns)[number] | "deleted_at";

interface Version {
  /** When it ended. */
  at: number;
  back: string | null;
  was: Partial<Record<Column, string | null>> | null;
}

interface Known extends Omit<ItemState, "deleted_at"> {
  id: string;
  config: string;
  created_at: Date;
  deleted_at: Date | null;
  first_seen_at: Date | null;
  /** JSON, the newest first; those that are too many or too large have no `back`. */
  versions: { at: string; has_back: boolean; back: string | null; was: Version["was"] }[] | null;
  older_at: Date | null;
  count: number;
  read_bytes: string | null;
}

/** What is asked of an item, by who asks for it in turns with others. */
export interface Asked {
  ctx: Ctx;
  id: string;
  spent: (ms: number) => void;
}

/** When an item became another, the newest first. */
export async function listMoments(
  { ctx, id, spent }: Asked,
  { before, limit }: { before?: Date | undefined; limit: number },
): Promise<ItemMoments> {
  const found = await askShared({
    db: ctx.db,
    spent,
    longestMs,
    async ask(tx) {
      const item = await tx.first<{ created_at: Date; first_seen_at: Date | null }>(sql`
        select i.created_at, s.first_seen_at
          from config_items i left join config_item_scrapes s on s.config_id = i.id where i.id = ${id}`);
      const rows = await tx.rows<{
        at: Date;
        is_config: boolean;
        changed: (keyof ItemState)[];
        summary: string | null;
      }>(sql`
        select v.changed_at as at, v.back is not null as is_config,
               array(select jsonb_object_keys(v.was)) as changed,
               (select c.summary from config_changes c
                 where v.back is not null and c.config_id = v.config_id and c.created_at = v.changed_at
                   and c.change_type = 'diff' limit 1) as summary
          from config_item_versions v
         where v.config_id = ${id} and v.changed_at < ${before ?? "infinity"}
         order by v.changed_at desc limit ${limit + 1}`);
      return { item, rows };
    },
  });
  if (!found.item) throw noItem();
  return {
    since: sinceOf(found.item, ctx.clock.now()).toISOString(),
    moments: found.rows.slice(0, limit).map(({ at, is_config, changed, summary }) => ({
      at: at.toISOString(),
      isConfig: is_config,
      changed,
      summary,
    })),
    hasMore: found.rows.length > limit,
  };
}

/** The item as it was at a moment. */
export async function readItemAt(asked: Asked, time: Date): Promise<ItemAt> {
  const known = await readKnown(asked, time);
  const versions = versionsOf(known);
  const { configs } = await rebuild(asked.ctx, known, {
    versions,
    stops: [versions.length],
    compares: false,
  });
  const since = sinceOf(known, asked.ctx.clock.now());
  return {
    id: known.id,
    time: time.toISOString(),
    ...stateAt(known, versions, time),
    from: (known.older_at ?? since).toISOString(),
    until: versions.length === 0 ? null : new Date(versions.at(-1)!.at).toISOString(),
    config: JSON.parse(configs[0]!),
  };
}

/** What became of an item from one moment to another. */
export async function compareItem(
  asked: Asked,
  { from, to }: { from: Date; to: Date },
): Promise<ItemDifference> {
  if (from > to)
    throw invalid("The first moment is after the second.", [
      { path: "from", message: "It is after `to`." },
    ]);
  requirePast(asked.ctx, "to", to);
  const known = await readKnown(asked, from, "from");
  const versions = versionsOf(known);
  const later = versions.filter(({ at }) => at > to.getTime());
  const { difference } = await rebuild(asked.ctx, known, {
    versions,
    stops: [later.length, versions.length],
    compares: true,
  });
  const parsed = (text: string | null | undefined): unknown =>
    text === null || text === undefined ? null : JSON.parse(text);
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    before: stateAt(known, versions, from),
    after: stateAt(known, later, to),
    isSame: difference === undefined,
    summary: difference?.summary ?? null,
    diff: difference?.diff ?? null,
    patch: (parsed(difference?.forth) as unknown[] | null) ?? [],
    merge_patch: parsed(difference?.patches),
  };
}

const noItem = () => notFound("There is no such item.");

/** Before it was read for the first time nobody knows anything; what is older than its versions are kept, neither. */
function sinceOf(
  { first_seen_at, created_at }: Pick<Known, "first_seen_at" | "created_at">,
  now: Date,
): Date {
  const kept = now.getTime() - itemPastDays * dayMs;
  return new Date(Math.max((first_seen_at ?? created_at).getTime(), kept));
}

function requirePast({ clock }: Pick<Ctx, "clock">, path: string, time: Date): void {
  if (time > clock.now())
    throw invalid("That moment is still to come.", [{ path, message: "It is still to come." }]);
}

/** The item, and its versions that ended after a moment. */
async function readKnown({ ctx, id, spent }: Asked, time: Date, path = "time"): Promise<Known> {
  requirePast(ctx, path, time);
  const known = await askShared({
    db: ctx.db,
    spent,
    longestMs,
    ask: (tx) =>
      tx.first<Known>(sql`
        with later as (
          select changed_at, back, was,
                 sum(coalesce(pg_column_size(back), 0)) over (order by changed_at desc) as stored
            from config_item_versions where config_id = ${id} and changed_at > ${time}
           order by changed_at desc limit ${most.versions + 1}
        ), followed as (
          select changed_at, back is not null as has_back, was,
                 case when stored <= ${most.storedBytes} then back::text end as back
            from later
        )
        select i.id, i.name, i.type, i.health, i.status, i.description, i.config::text as config, i.created_at, i.deleted_at,
               s.first_seen_at,
               (select count(*)::int from followed) as count,
               (select sum(octet_length(back)) from followed) as read_bytes,
               (select max(changed_at) from config_item_versions v
                 where v.config_id = i.id and v.changed_at <= ${time}) as older_at,
               case when (select coalesce(sum(octet_length(back)), 0) from followed) <= ${most.readBytes} then
                 (select json_agg(json_build_object('at', f.changed_at, 'has_back', f.has_back, 'back', f.back, 'was', f.was)
                                  order by f.changed_at desc) from followed f) end as versions
          from config_items i left join config_item_scrapes s on s.config_id = i.id
         where i.id = ${id}`),
  });
  if (!known) throw noItem();
  const since = sinceOf(known, ctx.clock.now());
  if (time < since)
    throw new AppError(
      "notFound",
      known.first_seen_at !== null && since.getTime() === known.first_seen_at.getTime()
        ? `It was read for the first time at ${since.toISOString()}: nobody knows what it was before.`
        : `What it was is known since ${since.toISOString()}.`,
      { beside: { since: since.toISOString() } },
    );
  return known;
}

/** @throws what was too much to be followed */
function versionsOf({ versions, count }: Known): Version[] {
  const tooMuch = (why: string) =>
    new AppError("tooLarge", `${why} since then: choose a later moment.`);
  if (count > most.versions)
    throw tooMuch(`It has become another more than ${most.versions} times`);
  if (count > 0 && versions === null) throw tooMuch("Too much of it has changed");
  return (versions ?? []).map(({ at, has_back, back, was }) => {
    if (has_back && back === null) throw tooMuch("Too much of it has changed");
    return { at: Date.parse(at), back, was };
  });
}

async function rebuild(
  ctx: Ctx,
  { config }: Known,
  parts: { versions: readonly Version[]; stops: readonly number[]; compares: boolean },
): Promise<Rebuilt> {
  // Versions in which only other columns differ lead nowhere.
  const back = parts.versions.map((version) => version.back ?? "[]");
  try {
    return await ctx
      .service(askedDifferences)
      .rebuild({ config: config ?? "null", back, stops: parts.stops, compares: parts.compares });
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== "ERR_WORKER_OUT_OF_MEMORY") throw cause;
    throw new AppError("tooLarge", "It is too large to be brought back to that moment.", { cause });
  }
}

/** What the other columns were, once these versions had not yet been followed by others. */
function stateAt(known: Known, later: readonly Version[], time: Date): ItemState {
  const state: ItemState = {
    name: known.name,
    type: known.type,
    health: known.health,
    status: known.status,
    description: known.description,
    deleted_at: known.deleted_at?.toISOString() ?? null,
  };
  for (const { was } of later) {
    for (const column of columns)
      if (was && Object.hasOwn(was, column)) Object.assign(state, { [column]: was[column] });
    // A version says when it was deleted, or it was not.
    state.deleted_at = was?.deleted_at ?? null;
  }
  const isGone = state.deleted_at !== null && Date.parse(state.deleted_at) <= time.getTime();
  return { ...state, deleted_at: isGone ? new Date(state.deleted_at!).toISOString() : null };
}
