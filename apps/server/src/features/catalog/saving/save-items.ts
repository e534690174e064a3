import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { storableJson, storableText } from "#platform/db/storable-text.ts";
import type { Differences, WrittenDifference } from "../changes/differences.ts";
import type { StoredItem } from "./stored-item.ts";
import type { ItemEnds } from "../retention/rules.ts";
import type { ScrapeSummary } from "./scrape-summary.ts";

/** What the catalog holds of an item before a scrape writes it. */
interface Known {
  id: string;
  scraper_id: string | null;
  agent_id: string;
  scraper_is_gone: boolean;
  /**
   * Another scraper has it that has told all that it finds since, and not this. A scrape sees a moment after its row is
   * made, which is known to the millisecond.
   */
  is_left: boolean;
  digest: Buffer | null;
  is_waiting: boolean | null;
  is_deleted: boolean;
  delete_reason: string | null;
  created_at: Date;
}

/** Why an item was deleted that its document no longer keeps. */
const ended = "RETENTION";

const localAgent = "00000000-0000-0000-0000-000000000000";

export interface SavedItems {
  /** New, changed or revived: what they say of others is to be followed. */
  changed: StoredItem[];
  /** Not changed, and some of what they say of others could not be followed the last time. */
  waiting: StoredItem[];
}

export interface SaveItemsParts {
  scraperId: string;
  /** One time for the whole scrape. */
  now: Date;
  differences: Differences;
  summary: ScrapeSummary;
  /** Bytes of what items were before that are held at once; tests say few. */
  mostBefore?: number;
  /** After how long the document ends items of a type. */
  endsOf(type: string): ItemEnds;
}

/**
 * Writes items of a scrape: those that are as they were cost a line that says when they were seen. What an item was
 * before is kept as a change and as a version. Rows are locked in the order of their ids.
 */
export async function saveItems(
  db: { transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> } & Queryable,
  items: readonly StoredItem[],
  parts: SaveItemsParts,
): Promise<SavedItems> {
  const { scraperId, now, differences, summary } = parts;
  const known = await findKnown(db, scraperId, items);
  const mine: StoredItem[] = [];
  for (const stored of items) {
    const there = known.get(stored.id);
    const owner = there && ownerOf(there, scraperId);
    if (owner === undefined) mine.push(stored);
    else
      summary.warn(
        `${stored.item.externalId} is already there, from ${owner}; it is left as that one has it.`,
        stored.item.type,
      );
  }
  const isSame = (stored: StoredItem) => {
    const there = known.get(stored.id);
    return (
      there?.digest?.equals(stored.digest) === true &&
      there.scraper_id === scraperId &&
      (!there.is_deleted || stored.item.deletedAt !== undefined)
    );
  };
  // What the document has ended stays so: for its age whatever becomes of it, for its rest until it changes.
  const isOver = ({ id, item, digest }: StoredItem) => {
    const there = known.get(id);
    if (!there?.is_deleted || there.delete_reason !== ended) return false;
    const { createdMs, updatedMs } = parts.endsOf(item.type);
    return (
      now.getTime() - there.created_at.getTime() >= createdMs ||
      (Number.isFinite(updatedMs) && there.digest?.equals(digest) === true)
    );
  };
  const unchanged = mine.filter((stored) => isSame(stored) || isOver(stored));
  const changed = mine.filter((stored) => !isSame(stored) && !isOver(stored));
  const old = changed.filter(({ id }) => known.has(id));
  const isNew = new Set(changed.filter(({ id }) => !known.has(id)));
  // What has changed is known as seen with what it has become, so that a failure between two portions loses nothing.
  let rest = [...unchanged, ...isNew];
  for (const portion of await inPortions(db, old, parts.mostBefore)) {
    const before = await readBefore(db, portion);
    const compared = await differences.between(
      portion.map(({ id, config }) => [before.get(id)?.config ?? "null", config]),
    );
    const differs = new Map(portion.map(({ id }, index) => [id, compared[index]]));
    const others = rest;
    rest = [];
    await db.transaction(async (tx) => {
      await requireScraper(tx, scraperId);
      await insertItems(
        tx,
        others.filter((stored) => isNew.has(stored)),
        parts,
      );
      await updateItems(tx, portion, parts);
      await insertVersions(tx, portion, { before, differs, now });
      await insertOwnChanges(tx, portion, { before, differs, now });
      await markSeen(tx, [...others, ...portion], scraperId, now);
    });
  }
  const changedIds = new Set(changed.map(({ id }) => id));
  for (const { id, item } of mine) {
    const counts = summary.of(item.type);
    if (!known.has(id)) counts.added += 1;
    else if (changedIds.has(id)) counts.updated += 1;
    else counts.unchanged += 1;
  }
  return {
    changed,
    waiting: unchanged.filter(({ id }) => known.get(id)?.is_waiting === true),
  };
}

/** Whoever deletes it deletes its items: until this transaction ends that waits, and nothing comes after it. */
async function requireScraper(tx: Queryable, id: string): Promise<void> {
  const there = await tx.first(
    sql`select from config_scrapers where id = ${id} and deleted_at is null for share`,
  );
  if (!there) throw new Error("The scraper was deleted while it ran.");
}

/** Whose an item is, when it is not ours to change. */
function ownerOf(there: Known, scraperId: string): string | undefined {
  if (there.agent_id !== localAgent) return "an agent";
  if (there.scraper_id === scraperId || there.scraper_id === null) return undefined;
  if (there.scraper_is_gone || there.is_left || (there.is_deleted && there.delete_reason !== null))
    return undefined;
  return `the scraper ${there.scraper_id}`;
}

async function findKnown(
  db: Queryable,
  scraperId: string,
  items: readonly StoredItem[],
): Promise<Map<string, Known>> {
  const rows = await db.rows<Known>(sql`
    select i.id, i.scraper_id, i.agent_id, s.digest, s.is_waiting, i.deleted_at is not null as is_deleted, i.delete_reason, i.created_at,
           exists (select from config_scrapers c where c.id = i.scraper_id and c.deleted_at is not null) as scraper_is_gone,
           i.scraper_id <> ${scraperId} and exists (
             select from config_item_scrapes o
               join job_history j on j.name = 'Scraper' and j.resource_id = i.scraper_id::text and j.status = 'SUCCESS'
                                 and j.created_at > o.seen_at + interval '1 millisecond'
              where o.config_id = i.id) as is_left
      from config_items i left join config_item_scrapes s on s.config_id = i.id and s.scraper_id = ${scraperId}
     where i.id = any(${items.map(({ id }) => id)}::uuid[])`);
  return new Map(rows.map((row) => [row.id, row]));
}

interface Before {
  id: string;
  config: string | null;
  health: string | null;
  status: string | null;
  ready: boolean | null;
  description: string | null;
  name: string | null;
  type: string;
  labels: unknown;
  tags: unknown;
  deleted_at: Date | null;
}

/** Bytes of what items were that are held at once; a batch has hundreds of items, and each may have been of megabytes. */
const mostBeforeBytes = 32 * 1024 * 1024;

/** One portion at least, which may be empty. */
async function inPortions(
  db: Queryable,
  items: readonly StoredItem[],
  most = mostBeforeBytes,
): Promise<StoredItem[][]> {
  const portions: StoredItem[][] = [[]];
  if (items.length === 0) return portions;
  const rows = await db.rows<{ id: string; size: number }>(sql`
    select id, coalesce(octet_length(config::text), 0) as size
      from config_items where id = any(${items.map(({ id }) => id)}::uuid[])`);
  const sizes = new Map(rows.map(({ id, size }) => [id, size]));
  let together = 0;
  for (const item of items) {
    const size = sizes.get(item.id) ?? 0;
    if (together + size > most && portions.at(-1)!.length > 0) {
      portions.push([]);
      together = 0;
    }
    portions.at(-1)!.push(item);
    together += size;
  }
  return portions;
}

async function readBefore(
  db: Queryable,
  items: readonly StoredItem[],
): Promise<Map<string, Before>> {
  if (items.length === 0) return new Map();
  const rows = await db.rows<Before>(sql`
    select id, config::text as config, health, status, ready, description, name, type, labels, tags, deleted_at
      from config_items where id = any(${items.map(({ id }) => id)}::uuid[])`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The columns that a scrape writes, as JSON; what is configured is JSON within it. */
const rowsOf = (items: readonly StoredItem[]): string =>
  `[${items
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ id, item, config }) => {
      const rest = storableJson({
        id,
        config_class: item.configClass,
        type: item.type,
        name: item.name,
        external_id: [item.externalId, ...new Set(item.aliases)],
        status: item.status ?? null,
        health: item.health ?? "unknown",
        ready: item.ready ?? null,
        description: item.description ?? null,
        icon: item.icon ?? null,
        source: item.source ?? null,
        labels: item.labels,
        tags: item.tags,
        properties: item.properties,
        is_costed: item.costs !== undefined,
        cost_per_minute: item.costs?.perMinute ?? null,
        cost_total_1d: item.costs?.day ?? null,
        cost_total_7d: item.costs?.week ?? null,
        cost_total_30d: item.costs?.month ?? null,
        created_at: item.createdAt?.toISOString() ?? null,
        deleted_at: item.deletedAt?.toISOString() ?? null,
        delete_reason: item.deletedAt ? (item.deleteReason ?? null) : null,
      });
      return `${rest.slice(0, -1)},"config":${config}}`;
    })
    .join(",")}]`;

const recordset = (rows: string) => sql`jsonb_to_recordset(${rows}::jsonb) r (
    id uuid, config_class text, type text, name text, external_id text[], status text, health text, ready boolean,
    description text, icon text, source text, labels jsonb, tags jsonb, properties jsonb, is_costed boolean, cost_per_minute numeric,
    cost_total_1d numeric, cost_total_7d numeric, cost_total_30d numeric, created_at timestamptz, deleted_at timestamptz,
    delete_reason text, config jsonb)`;

async function insertItems(
  tx: Queryable,
  items: readonly StoredItem[],
  { scraperId, now }: SaveItemsParts,
): Promise<void> {
  if (items.length === 0) return;
  await tx.run(sql`
    insert into config_items (id, scraper_id, config_class, type, name, external_id, status, health, ready, description, icon,
                              source, labels, tags, properties, cost_per_minute, cost_total_1d, cost_total_7d, cost_total_30d,
                              created_at, updated_at, deleted_at, delete_reason, config)
    select id, ${scraperId}, config_class, type, name, external_id, status, health, ready, description, icon, source, labels,
           tags, properties, cost_per_minute, cost_total_1d, cost_total_7d, cost_total_30d, coalesce(created_at, ${now}),
           ${now}, deleted_at, delete_reason, config
      from ${recordset(rowsOf(items))} order by id
    on conflict (id) do nothing`);
}

async function updateItems(
  tx: Queryable,
  items: readonly StoredItem[],
  { scraperId }: SaveItemsParts,
): Promise<void> {
  if (items.length === 0) return;
  await tx.run(sql`
    select from config_items where id = any(${items.map(({ id }) => id)}::uuid[]) order by id for no key update`);
  await tx.run(sql`
    update config_items i
       set scraper_id = ${scraperId}, config_class = r.config_class, type = r.type, name = r.name, external_id = r.external_id,
           status = r.status, health = r.health, ready = r.ready, description = r.description, icon = r.icon, source = r.source,
           labels = r.labels, tags = r.tags, properties = r.properties, cost_per_minute = case when r.is_costed then r.cost_per_minute else i.cost_per_minute end,
           cost_total_1d = case when r.is_costed then r.cost_total_1d else i.cost_total_1d end, cost_total_7d = case when r.is_costed then r.cost_total_7d else i.cost_total_7d end,
           cost_total_30d = case when r.is_costed then r.cost_total_30d else i.cost_total_30d end, created_at = coalesce(r.created_at, i.created_at),
           deleted_at = r.deleted_at, delete_reason = r.delete_reason, config = r.config
      from ${recordset(rowsOf(items))} where i.id = r.id`);
}

interface Compared {
  before: ReadonlyMap<string, Before>;
  differs: ReadonlyMap<string, WrittenDifference | undefined>;
  now: Date;
}

const shown = ["health", "status", "name", "description", "type"] as const;

/** What it was: what is configured by a patch back, the other columns as they were. */
async function insertVersions(
  tx: Queryable,
  items: readonly StoredItem[],
  { before, differs, now }: Compared,
): Promise<void> {
  const versions = items.flatMap(({ id, item }) => {
    const old = before.get(id)!;
    const is: Record<(typeof shown)[number], string | null> = {
      health: item.health ?? "unknown",
      status: item.status ?? null,
      name: item.name,
      description: item.description ?? null,
      type: item.type,
    };
    const was: Record<string, unknown> = Object.fromEntries(
      shown.filter((column) => old[column] !== is[column]).map((column) => [column, old[column]]),
    );
    if (old.deleted_at !== null) was.deleted_at = old.deleted_at;
    const back = differs.get(id)?.back ?? null;
    return back === null && Object.keys(was).length === 0
      ? []
      : [{ id, back, was: Object.keys(was).length > 0 ? JSON.stringify(was) : null }];
  });
  if (versions.length === 0) return;
  await tx.run(sql`
    insert into config_item_versions (config_id, changed_at, back, was)
    select * from unnest(${versions.map(({ id }) => id)}::uuid[], ${versions.map(() => now)}::timestamptz[],
                         ${versions.map(({ back }) => back)}::jsonb[], ${versions.map(({ was }) => was)}::jsonb[])
    on conflict (config_id, changed_at) do nothing`);
}

/** Source: server contract, section 14. */
const healthChanges: Readonly<Record<string, readonly [type: string, severity: string]>> = {
  healthy: ["Healthy", "info"],
  unhealthy: ["Unhealthy", "medium"],
  warning: ["Warning", "low"],
  unknown: ["HealthUnknown", "info"],
};

/** What a scrape itself sees: that something is configured otherwise, and that an item is better or worse than it was. */
async function insertOwnChanges(
  tx: Queryable,
  items: readonly StoredItem[],
  { before, differs, now }: Compared,
): Promise<void> {
  const changes = items.flatMap(({ id, item }) => {
    const old = before.get(id)!;
    const difference = differs.get(id);
    const health = item.health ?? "unknown";
    const was = old.health ?? "unknown";
    const [type, severity] = healthChanges[health]!;
    return [
      ...(difference
        ? [
            {
              config_id: id,
              change_type: "diff",
              severity: "info",
              source: "diff",
              summary: difference.summary,
              patches: difference.patches,
              diff: difference.diff && storableText(difference.diff),
              details: null,
            },
          ]
        : []),
      ...(health === was
        ? []
        : [
            {
              config_id: id,
              change_type: type,
              severity,
              source: "config-db",
              summary: `Health changed from ${was} to ${health}`,
              patches: null,
              diff: null,
              details: storableJson({
                previous: { status: old.status, ready: old.ready, description: old.description },
                current: {
                  status: item.status ?? null,
                  ready: item.ready ?? null,
                  description: item.description ?? null,
                },
              }),
            },
          ]),
    ];
  });
  if (changes.length === 0) return;
  const column = <Key extends keyof (typeof changes)[number]>(key: Key) =>
    changes.map((change) => change[key]);
  await tx.run(sql`
    insert into config_changes (config_id, change_type, severity, source, summary, patches, diff, details, created_at, first_observed)
    select c.*, ${now}, ${now}
      from unnest(${column("config_id")}::uuid[], ${column("change_type")}::text[], ${column("severity")}::text[],
                  ${column("source")}::text[], ${column("summary")}::text[], ${column("patches")}::jsonb[],
                  ${column("diff")}::text[], ${column("details")}::jsonb[]) c`);
}

async function markSeen(
  tx: Queryable,
  items: readonly StoredItem[],
  scraperId: string,
  now: Date,
): Promise<void> {
  if (items.length === 0) return;
  await tx.run(sql`
    insert into config_item_scrapes as s (config_id, scraper_id, seen_at, digest)
    select r.id, ${scraperId}, ${now}, r.digest
      from unnest(${items.map(({ id }) => id)}::uuid[], ${items.map(({ digest }) => digest)}::bytea[]) r (id, digest)
     order by r.id
    on conflict (config_id) do update set scraper_id = excluded.scraper_id, seen_at = excluded.seen_at, digest = excluded.digest`);
}
