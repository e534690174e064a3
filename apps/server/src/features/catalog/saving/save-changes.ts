import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { storableJson, storableText } from "#platform/db/storable-text.ts";
import type { ScrapedChange } from "../scraping/scraped.ts";
import type { TargetFinder } from "./find-targets.ts";
import type { ChangeRule } from "../retention/rules.ts";
import { fingerprintOf, foldChanges, foldWithinMs, type StoredChange } from "./fold-changes.ts";
import type { ScrapeSummary } from "./scrape-summary.ts";

const longestSummary = 10_000;
const longestDiff = 1_000_000;

type Db = Queryable & { transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> };

export interface SaveChangesParts {
  targets: TargetFinder;
  summary: ScrapeSummary;
  now: Date;
  /** Which changes of a type are kept: what would go at once is not written. */
  ruleOf(changeType: string): ChangeRule;
}

/** Writes what has happened to items, as their sources tell it; told again it is not written again. */
export async function saveChanges(
  db: Db,
  changes: readonly ScrapedChange[],
  { targets, summary, now, ruleOf }: SaveChangesParts,
): Promise<void> {
  if (changes.length === 0) return;
  await targets.prepare(changes.map(({ item }) => item));
  const stored: StoredChange[] = [];
  const ended = new Map<string, Date>();
  for (const change of changes) {
    const own = targets.find(change.item);
    const ids = await goingTo(change, own, targets);
    const count = change.count ?? 1;
    const type = change.item.type ?? "*";
    if (ids.length === 0) {
      summary.countChange(type, "orphaned", change.changeType, count);
      continue;
    }
    if (change.action === "ignore") {
      summary.countChange(type, "ignored", change.changeType, count);
      continue;
    }
    const createdAt = change.createdAt ?? now;
    const { ageMs, count: newest } = ruleOf(change.changeType);
    if (now.getTime() - createdAt.getTime() > ageMs) {
      summary.countChange(type, "ignored", change.changeType, count);
      continue;
    }
    if (change.action === "delete" && own !== undefined) ended.set(own, createdAt);
    for (const configId of ids)
      stored.push({
        configId,
        change,
        fingerprint: change.externalChangeId === undefined ? fingerprintOf(configId, change) : null,
        count,
        createdAt,
        firstObserved: createdAt,
        ...(newest !== undefined && { newest }),
      });
  }
  const folded = foldChanges(stored).toSorted((one, other) =>
    one.configId === other.configId ? 0 : one.configId < other.configId ? -1 : 1,
  );
  if (folded.length === 0) return;
  await db.transaction(async (tx) => {
    await writeNamed(
      tx,
      folded.filter(({ fingerprint }) => fingerprint === null),
    );
    await writeFolded(
      tx,
      folded.filter(({ fingerprint }) => fingerprint !== null),
    );
    if (ended.size > 0)
      await tx.run(sql`
        update config_items i set deleted_at = r.at, delete_reason = 'FROM_EVENT'
          from unnest(${[...ended.keys()]}::uuid[], ${[...ended.values()]}::timestamptz[]) r (id, at)
         where i.id = r.id and i.deleted_at is null`);
  });
}

/** The items whose change it is: its own, an ancestor, or those that a mapping selects. */
async function goingTo(
  { goesTo, isCopied }: ScrapedChange,
  own: string | undefined,
  targets: TargetFinder,
): Promise<string[]> {
  if (!goesTo || own === undefined) return own === undefined ? [] : [own];
  const others =
    "selector" in goesTo
      ? await targets.select(goesTo.selector)
      : await targets.ancestor(own, goesTo.ancestor);
  // With nowhere to go it stays.
  return others.length === 0 || isCopied ? [...new Set([own, ...others])] : others;
}

const givenOf = (changes: readonly StoredChange[]) => {
  const text = (value: string | undefined, most: number) =>
    value === undefined ? null : storableText(value, most);
  return sql`
    (select c.*, p.id as person_id
       from unnest(
         ${changes.map(({ configId }) => configId)}::uuid[],
         ${changes.map(({ change }) => text(change.externalChangeId, 500))}::text[],
         ${changes.map(({ change }) => storableText(change.changeType, 300))}::text[],
         ${changes.map(({ change }) => change.severity ?? "info")}::text[],
         ${changes.map(({ change }) => text(change.source, 1000))}::text[],
         ${changes.map(({ change }) => text(change.summary, longestSummary))}::text[],
         ${changes.map(({ change }) => (change.patches === undefined ? null : storableJson(change.patches)))}::jsonb[],
         ${changes.map(({ change }) => text(change.diff, longestDiff))}::text[],
         ${changes.map(({ change }) => (change.details === undefined ? null : storableJson(change.details)))}::jsonb[],
         ${changes.map(({ change }) => text(change.createdBy, 1000))}::text[],
         ${changes.map(({ createdAt }) => createdAt)}::timestamptz[],
         ${changes.map(({ firstObserved }) => firstObserved)}::timestamptz[],
         ${changes.map(({ count }) => count)}::int[],
         ${changes.map(({ fingerprint }) => fingerprint)}::text[],
         ${changes.map(({ newest }) => newest ?? null)}::int[]
       ) with ordinality c (config_id, external_change_id, change_type, severity, source, summary, patches, diff, details,
                            author, created_at, first_observed, count, fingerprint, newest, place)
       left join people p on lower(p.email) = lower(c.author) and p.deleted_at is null) g`;
};

const columns = sql`config_id, external_change_id, change_type, severity, source, summary, patches, diff, details, created_by,
  external_created_by, created_at, first_observed, count, fingerprint`;
const values = sql`g.config_id, g.external_change_id, g.change_type, g.severity, g.source, g.summary, g.patches, g.diff, g.details,
  g.person_id, case when g.person_id is null then g.author end, g.created_at, g.first_observed, g.count, g.fingerprint`;

/** Not those before the newest that are kept of their item. */
const isKept = sql`(g.newest is null or g.newest > (
  select count(*) from (
    select from config_changes n
     where n.config_id = g.config_id and n.change_type = g.change_type and n.created_at > g.created_at limit g.newest) newer))`;

/** Those that have an id where they come from: told again they are what was told last. A source that counts is believed. */
async function writeNamed(tx: Queryable, changes: readonly StoredChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.run(sql`
    insert into config_changes as k (${columns}) select ${values} from ${givenOf(changes)} where ${isKept} order by g.place
    on conflict (config_id, external_change_id) do update
       set change_type = excluded.change_type, created_at = excluded.created_at, created_by = excluded.created_by,
           external_created_by = excluded.external_created_by, details = excluded.details, diff = excluded.diff,
           patches = excluded.patches, severity = excluded.severity, source = excluded.source, summary = excluded.summary,
           count = case when excluded.count > 1 then greatest(k.count, excluded.count)
                        when (k.details, k.created_at) is distinct from (excluded.details, excluded.created_at) then k.count + 1
                        else k.count end
     where (k.change_type, k.created_at, k.details, k.diff, k.patches, k.severity, k.source, k.summary)
           is distinct from (excluded.change_type, excluded.created_at, excluded.details, excluded.diff, excluded.patches,
                             excluded.severity, excluded.source, excluded.summary)`);
}

/** Those that are told by what they say: the same within an hour is one change that has happened more often. */
async function writeFolded(tx: Queryable, changes: readonly StoredChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.run(sql`
    with given as materialized (select * from ${givenOf(changes)}),
    there as (
      select distinct on (g.place) g.place, k.id, g.created_at, g.count, g.summary, g.details
        from given g
        join config_changes k on k.fingerprint = g.fingerprint and k.config_id = g.config_id
                             and k.created_at > g.created_at - ${foldWithinMs} * interval '1 millisecond'
                             and k.first_observed <= g.created_at + ${foldWithinMs} * interval '1 millisecond'
       order by g.place, k.created_at desc
    ), folded as (
      update config_changes k
         set count = k.count + case when t.created_at > k.created_at then t.count else 0 end,
             created_at = greatest(k.created_at, t.created_at), summary = t.summary, details = t.details
        from there t where k.id = t.id and t.created_at > k.created_at
    )
    insert into config_changes (${columns})
    select ${values} from given g where g.place not in (select place from there) and ${isKept} order by g.place`);
}
