import type { ScrapedItem } from "../scraping/scraped.ts";

export interface RelationLine {
  from: string;
  relation: string;
  to: string;
}

/** Where something other is named: its external id, or what it is looked for by. */
const targetOf = (to: object): string =>
  Object.entries(to)
    .map(([key, value]) =>
      key === "externalId"
        ? String(value)
        : `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    )
    .join(" ");

/** What an item is tied to, in words: its first candidate of a parent, and what its scraper says. */
export const relationLines = ({
  externalId,
  parents,
  relations,
}: Pick<ScrapedItem, "externalId" | "parents" | "relations">): RelationLine[] => [
  ...parents
    .slice(0, 1)
    .map((parent) => ({ from: parent.externalId, relation: "parent of", to: externalId })),
  ...relations.map(({ to, relation: name, isIncoming, isParent }) => {
    const relation = isParent ? "child of" : name || "related to";
    return isIncoming
      ? { from: targetOf(to), relation, to: externalId }
      : { from: externalId, relation, to: targetOf(to) };
  }),
];
