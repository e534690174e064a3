import type { Load } from "#lib/places/place.ts";
import type { Item, ItemSummary } from "./queries.ts";

/** A tab of an item; its id stands in the address, but for that of the first. */
export interface ItemTab {
  id: string;
  label: string;
  /** What stands in its badge. */
  count?: (summary: ItemSummary) => number;
  /** What that counts, where the tab opens with others. */
  counted?: string;
  load: Load<{ item: Item }>;
}

/** Those of the catalog itself, in their order. What other features know of items follows (`config` in `places.ts`). */
export const itemTabs: readonly [ItemTab, ...ItemTab[]] = [
  {
    id: "config",
    label: "Config",
    load: () => import("./ConfigTab.tsx").then((module) => module.ConfigTab),
  },
  {
    id: "changes",
    label: "Changes",
    count: ({ changes }) => changes,
    load: () => import("../changes/ChangesTab.tsx").then((module) => module.ChangesTab),
  },
  {
    id: "insights",
    label: "Insights",
    count: ({ analysis }) => analysis,
    load: () => import("../insights/InsightList.tsx").then((module) => module.InsightsTab),
  },
  {
    id: "relationships",
    label: "Relationships",
    count: ({ relationships }) => relationships,
    counted: "Items that this one is tied to, either way, by ties of any kind",
    load: () =>
      import("../relationships/RelationshipsTab.tsx").then((module) => module.RelationshipsTab),
  },
];
