import { defaultStaleItemAge, keepStale, parseDuration, type Retention } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Database } from "#platform/db/database.ts";
import type { Differences } from "../changes/differences.ts";
import { changeRuleOf, endsOf } from "../retention/rules.ts";
import type { Processed } from "../scraping/process-found.ts";
import type { ItemGroup, ScrapedChange, ScrapedInsight, Untold } from "../scraping/scraped.ts";
import { TargetFinder } from "./find-targets.ts";
import { saveChanges } from "./save-changes.ts";
import { saveInsights } from "./save-insights.ts";
import { saveItems } from "./save-items.ts";
import { type Claims, saveRelations } from "./save-relations.ts";
import { ScrapeSummary } from "./scrape-summary.ts";
import { type StoredItem, storedItem } from "./stored-item.ts";

export interface ScrapeSaveOptions {
  db: Database;
  scraperId: string;
  /** When the scrape began; the time of all that it sees. */
  now: Date;
  differences: Differences;
  retention: Retention | undefined;
  /** Bytes of what items were before that are held at once; tests say few. */
  mostBefore?: number;
}

/** Items, and characters of what they are, that are written together. */
const batch = { items: 500, characters: 4 * 1024 * 1024 };
/** What items say of others, and what has happened to them, is held so far until it is written. */
const mostHeld = 20_000;

/**
 * Takes what a scrape finds and writes it, a batch at a time: memory holds one batch, the ids of what was seen, and what
 * is still to be related. Relationships come after the items that they name, so they are written at the end, or when
 * too many wait.
 */
export class ScrapeSave {
  readonly summary = new ScrapeSummary();
  readonly #options: ScrapeSaveOptions;
  readonly #targets: TargetFinder;
  readonly #seen = new Set<string>();
  /** Insights that were found again, by their ids. */
  readonly #open = new Set<string>();
  #items: StoredItem[] = [];
  #characters = 0;
  #claims: Claims[] = [];
  #changes: ScrapedChange[] = [];
  #insights: ScrapedInsight[] = [];
  #gone: Processed["gone"] = [];
  /** Things that were looked at for insights. */
  #judged = 0;

  constructor(options: ScrapeSaveOptions) {
    this.#options = options;
    this.#targets = new TargetFinder(options.db, options.scraperId);
  }

  async add(processed: Processed): Promise<void> {
    const { items, changes, insights, gone, failures, notices } = processed;
    for (const { message, type } of notices) this.summary.warn(message, type);
    for (const { message } of failures) this.summary.fail(message);
    for (const item of items) {
      if (item.createdAt && !this.#isKept(item.type, item.createdAt)) continue;
      const { stored, notice } = storedItem(this.#options.scraperId, item);
      if (notice !== undefined) this.summary.warn(notice, item.type);
      if (this.#seen.has(stored.id)) {
        this.summary.warn(`${item.externalId} was found twice; the first counts.`, item.type);
        continue;
      }
      this.#seen.add(stored.id);
      this.#targets.add(stored.id, item.type, [item.externalId, ...item.aliases]);
      this.#items.push(stored);
      this.#characters += stored.config.length;
      if (this.#items.length >= batch.items || this.#characters >= batch.characters)
        await this.#writeItems();
    }
    this.#changes.push(...changes);
    this.#insights.push(...insights);
    this.#gone.push(...gone);
    this.#judged += processed.judged ?? 0;
    if (
      this.#changes.length + this.#insights.length + this.#claims.length + this.#gone.length >=
      mostHeld
    )
      await this.#writeRest();
  }

  /**
   * Writes what is left. What was not told again is dealt with as the document says, but for what may be there untold;
   * of a scrape that told nothing at all nothing is.
   */
  async finish({
    isComplete,
    unseen,
    unjudged,
  }: { isComplete: boolean } & Untold): Promise<ScrapeSummary> {
    await this.#writeRest();
    const all = isComplete ? [] : undefined;
    const groups = unseen ?? all;
    const sources = unjudged ?? all;
    if (this.#seen.size > 0 && groups) await this.#deleteStale(groups);
    if (this.#seen.size + this.#judged > 0 && sources) await this.#resolveInsights(sources);
    return this.summary;
  }

  async #writeItems(): Promise<void> {
    const items = this.#items;
    if (items.length === 0) return;
    this.#items = [];
    this.#characters = 0;
    const { db, scraperId, now, differences, mostBefore } = this.#options;
    const saved = await saveItems(db, items, {
      scraperId,
      now,
      differences,
      summary: this.summary,
      ...(mostBefore !== undefined && { mostBefore }),
      endsOf: (type) => endsOf(this.#options.retention, type),
    });
    for (const { id, item } of [...saved.changed, ...saved.waiting])
      this.#claims.push({
        id,
        type: item.type,
        name: item.name,
        parents: item.parents,
        relations: item.relations,
      });
  }

  async #writeRest(): Promise<void> {
    await this.#writeItems();
    const { db, scraperId, now } = this.#options;
    const parts = { targets: this.#targets, summary: this.summary, now };
    const claims = this.#claims;
    this.#claims = [];
    this.#targets.forget();
    await saveRelations(db, claims, parts);
    const changes = this.#changes;
    this.#changes = [];
    await saveChanges(db, changes, {
      ...parts,
      ruleOf: (changeType) => changeRuleOf(this.#options.retention, changeType),
    });
    const insights = this.#insights;
    this.#insights = [];
    for (const id of await saveInsights(db, insights, { ...parts, scraperId })) this.#open.add(id);
    const gone = this.#gone;
    this.#gone = [];
    await this.#endGone(gone);
  }

  /** What its system says is not there any more. */
  async #endGone(gone: Processed["gone"]): Promise<void> {
    if (gone.length === 0) return;
    const { db, scraperId } = this.#options;
    await this.#targets.prepare(gone.map(({ item }) => item));
    const ended = new Map(
      gone.flatMap(({ item, at }) => {
        const id = this.#targets.find(item);
        return id === undefined ? [] : [[id, at] as const];
      }),
    );
    const rows = await db.rows<{ type: string; n: number }>(sql`
      with gone as (
        update config_items i set deleted_at = r.at, delete_reason = 'FROM_EVENT'
          from unnest(${[...ended.keys()]}::uuid[], ${[...ended.values()]}::timestamptz[]) r (id, at)
         where i.id = r.id and i.scraper_id = ${scraperId} and i.deleted_at is null
        returning i.type
      ) select type, count(*)::int as n from gone group by type`);
    for (const { type, n } of rows)
      this.summary.of(type).deleted = (this.summary.of(type).deleted ?? 0) + n;
  }

  /** Whether the document keeps items of a type that were made then. */
  #isKept(type: string, createdAt: Date): boolean {
    const { now, retention } = this.#options;
    return now.getTime() - createdAt.getTime() < endsOf(retention, type).createdMs;
  }

  /** Source: server contract, section 14: at least as long as the scrape took. */
  async #deleteStale(unseen: readonly ItemGroup[]): Promise<void> {
    const { db, scraperId, now, retention } = this.#options;
    const age = retention?.staleItemAge ?? defaultStaleItemAge;
    if (age === keepStale) return;
    const gone = await db.rows<{ type: string; n: number }>(sql`
      with gone as (
        update config_items i set deleted_at = now(), delete_reason = 'STALE'
          from config_item_scrapes s
         where s.config_id = i.id and s.scraper_id = ${scraperId} and i.scraper_id = ${scraperId} and i.deleted_at is null
           and not exists (
             select from jsonb_to_recordset(${JSON.stringify(unseen)}::jsonb) u (type text, tags jsonb, labels jsonb)
              where u.type = i.type and (u.tags is null or i.tags @> u.tags)
                and (u.labels is null or i.labels @> u.labels))
           and s.seen_at < ${now} and s.seen_at < now() - ${parseDuration(age)} * interval '1 millisecond'
        returning i.type
      ) select type, count(*) as n from gone group by type`);
    for (const { type, n } of gone) this.summary.of(type).deleted = n;
  }

  /** What is no longer found wrong is resolved: at once, or after as long as the document says. */
  async #resolveInsights(unjudged: readonly string[]): Promise<void> {
    const { db, scraperId, now, retention } = this.#options;
    const ageMs = retention?.staleAnalysisAge ? parseDuration(retention.staleAnalysisAge) : 0;
    await db.run(sql`
      update config_analysis set status = 'resolved'
       where scraper_id = ${scraperId} and status = 'open' and id <> all(${[...this.#open]}::uuid[])
         and coalesce(source, '') <> all(${[...unjudged]}::text[])
         and (${ageMs} = 0 or last_observed < ${now}::timestamptz - ${ageMs} * interval '1 millisecond')`);
  }
}
