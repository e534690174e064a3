import { isHealth, isJsonPath, mostTags, type ScraperBase } from "@mainstay/contract";
import { healthOf, healthOfStatus } from "@mainstay/scripting/functions/kubernetes-health.ts";
import { parseByLayout, parseTimestamp } from "@mainstay/scripting/functions/time.ts";
import { isObject, type Json } from "../changes/json-patch.ts";
import { findAll, findFirst } from "./paths.ts";
import type { ReadContent, ScrapedItem } from "./scraped.ts";

/** Something read is no item as its scraper says. */
export class ItemMistake extends Error {}

/**
 * Longest texts that are stored. Ids in letters, names and types in bytes: together they are in one index of PostgreSQL,
 * whose entries hold 2,704 bytes.
 */
const longest = { id: 500, name: 1000, type: 600, text: 16_384, label: 4096 };
const mostAliases = 100;
const mostLabels = 500;

/** A path that may find several, or none of them. */
const ofSeveral = /[*?:,]|\.\./;

/**
 * The items in what was read: what `items` finds, or the whole. Nothing where it leads to one place that is not there,
 * which is rather a slip of the document. @throws ScriptError
 */
export function itemsIn(value: Json, { items }: ScraperBase): Json[] | undefined {
  if (items === undefined || items === "") return [value];
  const found = findAll(items, value);
  if (found.length === 0 && !ofSeveral.test(items)) return undefined;
  return found.flatMap((one) => (Array.isArray(one) ? (one as readonly Json[]) : [one]));
}

const asText = (value: Json): string =>
  typeof value === "string"
    ? value
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);

interface Extraction {
  base: ScraperBase;
  value: Json;
  /** A script has made it, which may say of what it makes what a scraper says. */
  isMade: boolean;
}

/** What a field of the scraper says: a text, what its path finds, or nothing. @throws ItemMistake */
function extract({ base, value }: Extraction, field: keyof ScraperBase): string | undefined {
  const said = base[field];
  if (typeof said !== "string" || said === "") return undefined;
  if (!isJsonPath(said)) return said;
  const found = findFirst(said, value);
  if (found === undefined)
    throw new ItemMistake(`${field}: ${said} finds nothing in ${excerpt(value)}.`);
  return asText(found);
}

const excerpt = (value: Json) => {
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
};

function timeIn({ base, value }: Extraction, field: "createFields" | "deleteFields") {
  for (const path of base[field] ?? []) {
    const found = findFirst(isJsonPath(path) ? path : `$.${path}`, value);
    if (found === undefined || found === "") continue;
    const text = asText(found);
    const time = readTime(text, base.timestampFormat);
    if (time === undefined)
      throw new ItemMistake(
        `${field}: "${text.slice(0, 100)}" is no time${base.timestampFormat ? ` as ${base.timestampFormat} writes it` : "; timestampFormat says how it is written"}.`,
      );
    return time;
  }
  return undefined;
}

export function readTime(text: string, layout?: string): Date | undefined {
  let nanoseconds: bigint | undefined;
  try {
    nanoseconds = layout ? parseByLayout(layout, text, "UTC") : parseTimestamp(text);
  } catch {
    return undefined;
  }
  return nanoseconds === undefined ? undefined : new Date(Number(nanoseconds / 1_000_000n));
}

/** The tags that a scraper gives an item. @throws ScriptError */
export function tagsOf({ base, value }: Extraction, labels: Readonly<Record<string, string>>) {
  const tags: Record<string, string> = {};
  for (const { name, value: plain, label, jsonpath } of base.tags ?? []) {
    const found =
      plain ??
      (label === undefined ? undefined : labels[label]) ??
      (jsonpath === undefined ? undefined : optionalText(findFirst(jsonpath, value)));
    if (found !== undefined && found !== "") tags[name] = found;
  }
  return tags;
}

const optionalText = (value: Json | undefined) =>
  value === undefined || value === null ? undefined : asText(value);

/** Keys of an element that a script made, and what they say of the item. */
const lifted = ["id", "name", "type", "class", "status", "health", "description"] as const;
const spellings: Readonly<Record<(typeof lifted)[number], readonly string[]>> = {
  id: ["id", "external_id"],
  name: ["name"],
  type: ["config_type", "type"],
  class: ["config_class", "class"],
  status: ["status"],
  health: ["health"],
  description: ["description"],
};

/** What an element that a script made says of itself, where the scraper says nothing. */
function saidOf({ value, isMade }: Extraction, field: (typeof lifted)[number]): string | undefined {
  if (!isMade || !isObject(value) || value.config === undefined) return undefined;
  for (const key of spellings[field])
    if (typeof value[key] === "string" && value[key] !== "") return value[key];
  return undefined;
}

/**
 * One item of what was read. A scraper that says how an item is (`health`) is believed; otherwise its status, or what it
 * is, tells.
 * @throws ItemMistake
 */
export function extractItem(
  value: Json,
  base: ScraperBase,
  { isMade = false, ...read }: Omit<ReadContent, "content"> & { isMade?: boolean },
): ScrapedItem {
  const extraction = { base, value, isMade };
  const { defaults = {} } = read;
  const say = (field: (typeof lifted)[number]) =>
    extract(extraction, field) ?? saidOf(extraction, field);
  const externalId = say("id") ?? defaults.id;
  if (externalId === undefined || externalId === "")
    throw new ItemMistake("The item has no id: the scraper says none (id).");
  const type = say("type") ?? defaults.type;
  if (type === undefined || type === "")
    throw new ItemMistake(
      `The item ${externalId.slice(0, 100)} has no type: the scraper says none (type).`,
    );
  const isWrapped = isMade && isObject(value) && value.config !== undefined;
  const config = isWrapped ? value.config! : value;
  const status = say("status");
  const health = say("health")?.toLowerCase();
  const told = health === undefined ? undefined : isHealth(health) ? health : "unknown";
  const own = status === undefined ? healthOf(config) : healthOfStatus(status);
  const labels = { ...base.labels };
  const tags = tagsOf(extraction, labels);
  const deletedAt = timeIn(extraction, "deleteFields");
  return {
    externalId,
    aliases: [],
    ...(isMade && isObject(value) && isUuid(value.uuid) && { configId: value.uuid }),
    type,
    configClass: say("class") ?? defaults.class ?? type,
    name: say("name") ?? defaults.name ?? externalId,
    config,
    ...optional("status", status ?? (own.status || undefined)),
    health: told ?? own.health,
    ready: own.ready,
    ...optional("description", say("description") ?? (own.message || undefined)),
    ...optional("icon", read.icon),
    ...optional("source", read.source),
    labels,
    tags,
    properties: [],
    ...optional("createdAt", timeIn(extraction, "createFields") ?? read.createdAt),
    ...(deletedAt && { deletedAt, deleteReason: "FROM_DELETE_FIELD" as const }),
    parents: [],
    relations: [],
  };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isUuid = (value: unknown): value is string =>
  typeof value === "string" && uuid.test(value);

export const optional = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };

const cut = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

/** A text of so many bytes at most, never with half a letter. */
function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const bytes = Buffer.from(text).subarray(0, most - 3);
  return `${new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true })}…`;
}

/** Labels are texts, whatever a system tells them as: they are searched as such. */
const labelText = (value: Json) => cut(optionalText(value) ?? "", longest.label);

/** Texts as long as they may be; tags are labels, too. @throws ItemMistake */
export function cutLong(item: ScrapedItem): ScrapedItem {
  if (item.externalId.length > longest.id)
    throw new ItemMistake(
      `The id ${item.externalId.slice(0, 60)}… has ${item.externalId.length} letters, at most ${longest.id} fit.`,
    );
  if (Buffer.byteLength(item.type) > longest.type)
    throw new ItemMistake(
      `The type ${item.type.slice(0, 60)}… has more than ${longest.type} bytes.`,
    );
  const tags = Object.fromEntries(
    Object.entries(item.tags)
      .slice(0, mostTags)
      .map(([key, value]) => [key, labelText(value)]),
  );
  const labels = Object.fromEntries(
    Object.entries({ ...item.labels, ...tags })
      .slice(0, mostLabels)
      .map(([key, value]) => [key, labelText(value)]),
  );
  return {
    ...item,
    aliases: item.aliases.filter((alias) => alias.length <= longest.id).slice(0, mostAliases),
    name: cutBytes(item.name, longest.name),
    configClass: cutBytes(item.configClass, longest.type),
    ...optional("status", item.status && cut(item.status, longest.name)),
    ...optional("description", item.description && cut(item.description, longest.text)),
    tags,
    labels,
  };
}
