import sql from "sql-template-tag";
import {
  checksOf,
  componentsAbove,
  componentsBelow,
  type Finder,
  itemsAround,
  itemsOf,
} from "./hanging.ts";
import type { SnapshotKind } from "./kind.ts";

/**
 * A component, all that is below it, and what hangs on those: checks and items. What is related is what they hang on
 * themselves, the items around theirs, and the checks of these. One that was deleted is told as long as it is kept.
 */
export const componentSnapshot: SnapshotKind = {
  name: "topology",
  noun: "component",
  read: "topologies",
  async find({ ask, id, range, withRelated }) {
    const [top] = await ask<{ name: string; type: string | null }>(
      sql`select name, type from components where id = ${id}`,
    );
    if (!top) return undefined;
    const finder: Finder = { ask, range, notices: [] };
    const below = await componentsBelow(finder, [id]);
    const componentIds = withRelated ? await componentsAbove(finder, below) : below;
    const linked = await itemsOf(finder, componentIds);
    const itemIds = withRelated ? await itemsAround(finder, linked, 1) : linked;
    return {
      name: top.name,
      type: top.type ?? undefined,
      componentIds,
      itemIds,
      checkIds: await checksOf(finder, { componentIds, itemIds: withRelated ? itemIds : [] }),
      notices: finder.notices,
    };
  },
};
