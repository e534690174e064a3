import { listUnder } from "../documents/list-under.ts";
import { heldScraperReason } from "./held.ts";
import { isScraperType, scraperKeys } from "./scraper-types.ts";

type Written = Readonly<Record<string, unknown>>;

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** One scraper of a document. */
export interface Scraper {
  type: string;
  /** Its place among those of its type. */
  index: number;
  /** By type and place, unique in the document: `name` of a spec says what its items are called. */
  name: string;
  /** Where it stands in the spec; no place where no list is written. */
  path: readonly (string | number)[];
  /** As it was written; `scraperSpecs[type].parse` makes of it what is run. */
  spec: Record<string, unknown>;
  supported: boolean;
  /** Why it is not run. */
  held?: string;
}

/** The scrapers of a spec, as it was written, in the order of the document. */
export function scrapersOf(spec: Written): Scraper[] {
  return Object.entries(spec).flatMap(([type, written]) => {
    if (!scraperKeys.includes(type)) return [];
    return listUnder(written).flatMap((one, index): Scraper[] =>
      isMapping(one)
        ? [
            {
              type,
              index,
              name: `${type}-${index}`,
              path: Array.isArray(written) ? [type, index] : [type],
              spec: one,
              supported: isScraperType(type),
              held: heldScraperReason(type, one),
            },
          ]
        : [],
    );
  });
}
