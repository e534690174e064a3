import { destinationOf } from "../secrets/destination.ts";
import {
  mapSecrets,
  type SecretDocument,
  type SecretPlace,
  secretPlacesIn,
} from "../secrets/map-secrets.ts";
import { scrapeConfigSpecJsonSchema } from "./json-schema.ts";
import { scraperKeys } from "./scraper-types.ts";

type Spec = Record<string, unknown>;

/** Without what only says what becomes of items: links of theirs are no address that anything is sent to. */
const reaching = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reaching);
  if (typeof value !== "object" || value === null) return value;
  const { properties: _properties, transform: _transform, ...rest } = value as Spec;
  return rest;
};

/** Each scraper sends its secrets to the addresses it names. */
function documentOf(spec: Spec): SecretDocument {
  return {
    schema: scrapeConfigSpecJsonSchema(),
    value: spec,
    destinationAt(keys, value) {
      if (keys.length === 0)
        return destinationOf(
          Object.fromEntries(Object.entries(spec).map(([key, one]) => [key, reaching(one)])),
        );
      const isScraper =
        scraperKeys.includes(String(keys[0])) &&
        keys.length <= 2 &&
        (keys.length === 2 ? typeof keys[1] === "number" : !Array.isArray(value));
      return isScraper ? destinationOf(reaching(value)) : undefined;
    },
  };
}

/** The spec of a ScrapeConfig with every secret exchanged. */
export const mapScrapeConfigSecrets = (
  spec: Spec,
  replace: (place: SecretPlace) => unknown,
): Spec => mapSecrets(documentOf(spec), replace) as Spec;

export const scrapeConfigSecretPlaces = (spec: Spec): SecretPlace[] =>
  secretPlacesIn(documentOf(spec));

/** The secrets of one scraper, as a document of its own would hold it. */
export const scraperSecretPlaces = (type: string, scraper: Spec): SecretPlace[] =>
  scrapeConfigSecretPlaces({ [type]: [scraper] });
