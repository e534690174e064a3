import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { storableText } from "#platform/db/storable-text.ts";
import type { ItemReference, ItemSelector } from "../scraping/scraped.ts";
import { selectItems } from "./select-items.ts";

interface Target {
  id: string;
  type: string;
}

/**
 * Finds the items that others name: those of this scrape from memory, others in the catalog. Where several have the same
 * external id, those of the same scraper come first.
 */
export class TargetFinder {
  readonly #db: Queryable;
  readonly #scraperId: string;
  readonly #seen = new Map<string, Target[]>();
  readonly #looked = new Map<string, Target[]>();
  readonly #selected = new Map<string, string[]>();
  readonly #above = new Map<string, string[]>();

  constructor(db: Queryable, scraperId: string) {
    this.#db = db;
    this.#scraperId = scraperId;
  }

  /** An item that this scrape has seen. */
  add(id: string, type: string, externalIds: readonly string[]): void {
    for (const externalId of externalIds) {
      const known = this.#seen.get(externalId);
      if (known) known.push({ id, type });
      else this.#seen.set(externalId, [{ id, type }]);
    }
  }

  /** Looks for those that nobody has looked for yet, in one statement. */
  async prepare(references: readonly ItemReference[]): Promise<void> {
    const missing = [...new Set(references.map(({ externalId }) => externalId))].filter(
      (externalId) =>
        !this.#seen.has(externalId) &&
        !this.#looked.has(externalId) &&
        // What cannot be stored no item has, and the database refuses to look for it.
        storableText(externalId) === externalId,
    );
    if (missing.length === 0) return;
    const rows = await this.#db.rows<Target & { external_id: string }>(sql`
      select e.external_id, i.id, i.type
        from unnest(${missing}::text[]) e (external_id)
        join config_items i on i.external_id @> array[e.external_id] and i.deleted_at is null
       order by coalesce(i.scraper_id = ${this.#scraperId}, false) desc, i.id`);
    for (const externalId of missing) this.#looked.set(externalId, []);
    for (const { external_id: externalId, ...target } of rows)
      this.#looked.get(externalId)!.push(target);
  }

  /** Of what was prepared. */
  find({ externalId, type }: ItemReference): string | undefined {
    const candidates = this.#seen.get(externalId) ?? this.#looked.get(externalId) ?? [];
    return candidates.find((one) => type === undefined || one.type === type)?.id;
  }

  /** What came to nothing may be there by now. */
  forget(): void {
    this.#looked.clear();
    this.#selected.clear();
    this.#above.clear();
  }

  /** The nearest above an item that is of a type, or the nearest of all; none, or one. */
  async ancestor(id: string, type: string | undefined): Promise<string[]> {
    const key = `${id}/${type ?? ""}`;
    const known = this.#above.get(key);
    if (known) return known;
    const rows = await this.#db.rows<{ id: string }>(sql`
      select a.id from config_items i
       cross join lateral unnest(string_to_array(nullif(i.path, ''), '.')) with ordinality p (ancestor, place)
        join config_items a on a.id = p.ancestor::uuid
       where i.id = ${id} and (${type ?? null}::text is null or a.type = ${type ?? null})
       order by p.place desc limit 1`);
    const found = rows.map((row) => row.id);
    this.#above.set(key, found);
    return found;
  }

  async select(selector: ItemSelector): Promise<string[]> {
    const key = JSON.stringify(selector);
    let known = this.#selected.get(key);
    if (!known) {
      known = await selectItems(this.#db, { scope: this.#scraperId, ...selector });
      this.#selected.set(key, known);
    }
    return known;
  }
}
