import type { JudgedParts } from "../documents/document-format.ts";
import type { Finding } from "../documents/findings.ts";
import { listUnder } from "../documents/list-under.ts";
import { jsonSchemaOf } from "../documents/json-schema.ts";
import { findWrongReferencesBy } from "../documents/value-references.ts";
import { isDuration } from "../duration.ts";
import { parseSchedule } from "../schedule.ts";
import { lookupFields } from "../resource-selector/lookup.ts";
import { type ScrapeConfigSpec, scrapeConfigSpec } from "./scrape-config-spec.ts";
import { type Scraper, scrapersOf } from "./scrapers-of.ts";
import { readTransformScript } from "./scripts.ts";

type Path = readonly (string | number)[];
type Written = Readonly<Record<string, unknown>>;

/** The shortest time between two scrapes of a document, in milliseconds: 30s, with some leeway. */
export const shortestScrapeMs = 29_000;

const finding =
  (severity: Finding["severity"]) =>
  (path: Path, message: string): Finding => ({ severity, path: ["spec", ...path], message });
const refusal = finding("error");
const warning = finding("warning");

/** What the schema of a ScrapeConfig cannot say. */
export function judgeScrapeConfig({ spec, source }: JudgedParts<ScrapeConfigSpec>): Finding[] {
  const scrapers = scrapersOf(source);
  return [
    ...findNone(scrapers, source),
    ...findTooOften(spec),
    ...findEmptyRetention(spec, source),
    ...(spec.crdSync ? [warning(["crdSync"], unapplied)] : []),
    ...scrapers.flatMap((scraper) => [
      ...(scraper.held === undefined ? [] : [warning(scraper.path, scraper.held)]),
      ...findNameless(scraper, spec.full === true),
      ...findIdle(scraper),
      ...findUnapplied(scraper),
      ...findUnread(scraper),
    ]),
    ...findWrongReferencesBy(jsonSchemaOf(scrapeConfigSpec), source, ["spec"]),
  ];
}

/** Without scrapers, and with something that nothing reads: they are probably there. */
const findNone = (scrapers: readonly Scraper[], source: Written): Finding[] =>
  scrapers.length > 0 ||
  Object.keys(source).some((key) => !Object.hasOwn(scrapeConfigSpec.shape, key))
    ? []
    : [warning([], "There are no scrapers, so nothing is scraped.")];

function findTooOften({ schedule }: ScrapeConfigSpec): Finding[] {
  if (schedule === undefined) return [];
  const parsed = parseSchedule(schedule);
  return parsed.kind === "every" && parsed.everyMs < shortestScrapeMs
    ? [
        refusal(
          ["schedule"],
          `This is too often: scrape every ${shortestScrapeMs / 1000}s at most.`,
        ),
      ]
    : [];
}

function findEmptyRetention({ retention }: ScrapeConfigSpec, source: Written): Finding[] {
  const typesKey =
    (source.retention as Written | undefined)?.types === undefined ? "type" : "types";
  return [
    ...(retention?.changes ?? []).flatMap(({ name, age, count }, index) =>
      age === undefined && !count
        ? [
            refusal(
              ["retention", "changes", index],
              `Nothing says which changes of type "${name}" are kept: an age or a count.`,
            ),
          ]
        : [],
    ),
    ...(retention?.types ?? []).flatMap(({ name, createdAge, updatedAge, deletedAge }, index) =>
      createdAge === undefined && updatedAge === undefined && deletedAge === undefined
        ? [
            warning(
              ["retention", typesKey, index],
              `Nothing says how long items of type "${name}" are kept, so they all are.`,
            ),
          ]
        : [],
    ),
  ];
}

/** Types whose items have only what the document says of them. */
const nameless: readonly string[] = ["exec", "file", "http", "sql"];

/** A script, and what a full scrape reads, may say it themselves. */
function findNameless({ type, spec, path, held }: Scraper, isFull: boolean): Finding[] {
  if (!nameless.includes(type) || isFull || held !== undefined) return [];
  if (readTransformScript(spec.transform)) return [];
  const missing = ["id", "type"].filter((key) => spec[key] === undefined || spec[key] === "");
  return missing.length === 0
    ? []
    : [
        warning(
          path,
          `Nothing says the ${missing.join(" and the ")} of the items, and without ${missing.length > 1 ? "them" : "it"} they cannot be stored.`,
        ),
      ];
}

const isMapping = (value: unknown): value is Written =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const unapplied = "This is kept and not applied by this version.";

/** What is read and has no effect yet. */
const findUnapplied = ({ type, spec, path }: Scraper): Finding[] => [
  ...(isMapping(spec.transform) && spec.transform.locations !== undefined
    ? [warning([...path, "transform", "locations"], unapplied)]
    : []),
  ...(type === "exec" && spec.artifacts !== undefined
    ? [warning([...path, "artifacts"], unapplied)]
    : []),
];

/** What earlier versions took and nothing can be read from: it is passed over. */
function findUnread({ type, spec, path }: Scraper): Finding[] {
  const places = type === "host" ? listUnder(spec.certificatePaths) : [];
  const rate =
    type === "azureDevops" && isMapping(spec.permissions) ? spec.permissions.rateLimit : undefined;
  return [
    ...places.flatMap((place, index) =>
      typeof place === "string" && !place.startsWith("/")
        ? [
            warning(
              [
                ...path,
                "certificatePaths",
                ...(Array.isArray(spec.certificatePaths) ? [index] : []),
              ],
              `"${place}" does not begin with a slash: it is no path of a machine, and not looked into.`,
            ),
          ]
        : [],
    ),
    ...(typeof rate === "string" && !isDuration(rate)
      ? [
          warning(
            [...path, "permissions", "rateLimit"],
            `"${rate}" is no duration; they are read every 24h.`,
          ),
        ]
      : []),
  ];
}

/** Relationships that select nothing. */
function findIdle({ spec, path }: Scraper): Finding[] {
  const found = isMapping(spec.transform) ? spec.transform.relationship : undefined;
  const telling = [...lookupFields, "labels", "expr"];
  return (Array.isArray(found) ? found : []).flatMap((one: unknown, index) =>
    isMapping(one) && !telling.some((key) => one[key] !== undefined)
      ? [
          warning(
            [...path, "transform", "relationship", index],
            `Nothing says what is related: ${telling.join(", ")}.`,
          ),
        ]
      : [],
  );
}
