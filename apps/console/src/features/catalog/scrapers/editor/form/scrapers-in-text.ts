import { isScraperType, type ScraperType } from "@mainstay/contract/scrape-config/scraper-types.ts";
import { readYamlDocuments, type YamlPath } from "@mainstay/contract/documents/text/edit-yaml.ts";

/** One scraper of a text that can be edited as a form. */
export interface WrittenScraper {
  /** Tells it from the others of the text. */
  id: string;
  document: number;
  /** The way to it in its document. */
  path: YamlPath;
  type: ScraperType;
  /** Its place among those of its type, from 1. */
  number: number;
  scraper: Readonly<Record<string, unknown>>;
}

type Map = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Map =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const specOf = (value: unknown): Map => (isMap(value) && isMap(value["spec"]) ? value["spec"] : {});

/** The scrapers of a text, and its documents; nothing where it cannot be read. */
export function scrapersInText(
  text: string,
): { scrapers: WrittenScraper[]; values: unknown[] } | null {
  const documents = readYamlDocuments(text);
  if (!documents) return null;
  let values: unknown[];
  try {
    values = documents.map((document) => document.toJS({ maxAliasCount: 100 }) as unknown);
  } catch {
    // A document of few lines can stand for billions of them.
    return null;
  }
  const scrapers = values.flatMap((value, document) =>
    Object.entries(specOf(value)).flatMap(([type, list]) => {
      if (!isScraperType(type)) return [];
      const at = (scraper: unknown, number: number, ...more: number[]): WrittenScraper => ({
        id: [document, type, ...more].join("."),
        document,
        path: ["spec", type, ...more],
        type,
        number,
        scraper: isMap(scraper) ? scraper : {},
      });
      return Array.isArray(list)
        ? list.map((one, index) => at(one, index + 1, index))
        : [at(list, 1)];
    }),
  );
  return { scrapers, values };
}

/** Where the next scraper of a type belongs in a document. */
export function placeForScraper(value: unknown, type: string): YamlPath {
  const list = specOf(value)[type];
  return ["spec", type, Array.isArray(list) ? list.length : 0];
}
