import sql from "sql-template-tag";
import { checksOf, componentsOf, type Finder, itemsAround } from "./hanging.ts";
import type { SnapshotKind } from "./kind.ts";

/** How far around an item the related ones are told. */
const steps = 2;

/** An item of the catalog with its components and checks; with what is related, the items around it and theirs. */
export const itemSnapshot: SnapshotKind = {
  name: "config",
  noun: "item",
  read: "config_scrapers",
  async find({ ask, id, range, withRelated }) {
    const [item] = await ask<{ name: string | null; type: string }>(
      sql`select name, type from config_items where id = ${id}`,
    );
    if (!item) return undefined;
    const finder: Finder = { ask, range, notices: [] };
    const itemIds = withRelated ? await itemsAround(finder, [id], steps) : [id];
    const componentIds = await componentsOf(finder, itemIds);
    return {
      name: item.name ?? id,
      type: item.type,
      componentIds,
      itemIds,
      checkIds: await checksOf(finder, { componentIds: [], itemIds }),
      notices: finder.notices,
    };
  },
};
