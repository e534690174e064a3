import { readTransformScript, type ScraperBase } from "@mainstay/contract";
import { ScriptError } from "@mainstay/scripting";
import type { Json } from "../changes/json-patch.ts";
import { cutLong, optional, extractItem, ItemMistake, itemsIn, tagsOf } from "./extract-item.ts";
import { type ItemScripts, ScrapeScriptMistake } from "./item-scripts.ts";
import { mapChange } from "./map-change.ts";
import { ContentMistake, refuseDeep } from "./read-content.ts";
import { readAnyContent } from "./read-large-yaml.ts";
import { readChange, readFull, readInsight } from "./read-full.ts";
import type {
  Found,
  ItemReference,
  ReadContent,
  ScrapedChange,
  ScrapedInsight,
  ScrapedItem,
  Untold,
} from "./scraped.ts";
import { runTransformScript, transformItem } from "./transform-item.ts";

/** What one thing that a scraper found has become. */
export interface Processed {
  items: ScrapedItem[];
  changes: ScrapedChange[];
  insights: ScrapedInsight[];
  /** Items that are not there any more. */
  gone: { item: ItemReference; at: Date }[];
  /** Things that were looked at for insights. */
  judged?: number;
  /** What is lost, and why: something that there is was not seen. */
  failures: Told[];
  /** What people should know, and what takes nothing away. */
  notices: Told[];
}

/** Before anything of it is made. */
export const nothing = (): Processed => ({
  items: [],
  changes: [],
  insights: [],
  gone: [],
  failures: [],
  notices: [],
});

export const isNothing = (processed: Processed): boolean =>
  Object.values(processed).every((part: number | readonly unknown[]) =>
    typeof part === "number" ? part === 0 : part.length === 0,
  );

export interface Told {
  message: string;
  /** Of the items that it is about. */
  type?: string;
  /** Not all that there is was told, as far as this says. */
  untold?: Untold;
}

export interface ProcessOptions {
  base: ScraperBase;
  /** Changes and insights stand beside what is configured. */
  isFull: boolean;
  scripts: ItemScripts;
  /** Ends what takes long. */
  signal?: AbortSignal | undefined;
}

/** Makes of something found what the catalog takes. Nothing of it reaches another thing that was found. */
export async function processFound(found: Found, options: ProcessOptions): Promise<Processed> {
  const made = nothing();
  switch (found.kind) {
    case "content":
      await processContent(found.read, options, made);
      return made;
    case "item":
      await guarded(made, found.item.type, async () => {
        refuseDeep(found.item.config);
        made.items.push(await transformed(withBase(found.item, options.base), options, made));
      });
      return made;
    case "change":
      await addChange(found.change, undefined, options, made);
      return made;
    case "insight":
      made.insights.push(found.insight);
      return made;
    case "gone":
      made.gone.push({ item: found.item, at: found.at });
      return made;
    case "judged":
      made.judged = found.count;
      return made;
    case "position":
      return made;
    case "failure":
      made.failures.push(told({ ...found, untold: found }));
      return made;
    case "notice":
      made.notices.push(told(found));
      return made;
  }
}

/** What the scraper says of every item; what an item says itself wins. */
function withBase(item: ScrapedItem, base: ScraperBase): ScrapedItem {
  if (!base.labels && !base.tags?.length) return item;
  const labels = { ...base.labels, ...item.labels };
  return {
    ...item,
    labels,
    tags: { ...tagsOf({ base, value: item.config, isMade: false }, labels), ...item.tags },
  };
}

const told = ({ message, type, untold }: Told): Told => ({
  message,
  ...(type !== undefined && { type }),
  ...(untold && {
    untold: { ...optional("unseen", untold.unseen), ...optional("unjudged", untold.unjudged) },
  }),
});

async function processContent(
  read: ReadContent,
  options: ProcessOptions,
  made: Processed,
): Promise<void> {
  const { content, source } = read;
  const at = source === undefined ? "" : `${source}: `;
  await guarded(
    made,
    undefined,
    async () => {
      const format = options.base.format ?? read.format;
      const { values, notices } = await readAnyContent(content, format, { signal: options.signal });
      made.notices.push(...notices.map((message) => ({ message: at + message })));
      for (const value of values) {
        const found = itemsIn(value, options.base);
        if (!found)
          made.notices.push({
            message: `${at}items: ${options.base.items} finds nothing.`,
            untold: {},
          });
        for (const one of found ?? [])
          await guarded(made, undefined, () => processValue(one, read, options, made), at);
      }
    },
    at,
  );
}

async function processValue(
  value: Json,
  read: ReadContent,
  options: ProcessOptions,
  made: Processed,
): Promise<void> {
  const { base } = options;
  const script = readTransformScript(base.transform);
  if (!script) return addValue(value, { ...read, isMade: false }, options, made);
  const parts = { scripts: options.scripts, notice: noticeIn(made) };
  const elements = await runTransformScript(value, undefined, script, parts);
  for (const element of elements)
    await guarded(made, undefined, () =>
      addValue(element, { ...read, isMade: true }, options, made),
    );
}

async function addValue(
  value: Json,
  read: ReadContent & { isMade: boolean },
  options: ProcessOptions,
  made: Processed,
): Promise<void> {
  const full = options.isFull ? readFull(value) : undefined;
  for (const part of full?.unread ?? [])
    noticeIn(made)(`${part} is not kept by this version: nothing was made of it.`);
  let item: ScrapedItem | undefined;
  if (!full || full.config !== undefined) {
    const extracted = extractItem(value, options.base, read);
    item = await transformed(
      full ? { ...extracted, config: full.config! } : extracted,
      options,
      made,
    );
    made.items.push(item);
  }
  const beside: ItemReference | undefined = item
    ? { externalId: item.externalId, type: item.type }
    : referenceIn(value, options.base, read);
  for (const part of full?.changes ?? [])
    await guarded(made, item?.type, () => addChange(readChange(part, beside), item, options, made));
  for (const part of full?.insights ?? [])
    await guarded(made, item?.type, () => {
      made.insights.push(readInsight(part, beside));
      return Promise.resolve();
    });
}

/** Which item a document without `config` is about, when it says so. */
function referenceIn(
  value: Json,
  base: ScraperBase,
  read: ReadContent & { isMade: boolean },
): ItemReference | undefined {
  try {
    const { externalId, type } = extractItem(value, base, read);
    return { externalId, type };
  } catch (error) {
    if (error instanceof ItemMistake) return undefined;
    throw error;
  }
}

/** As it is stored: whatever transforms have made of it, its texts are as long as they may be. */
const transformed = async (
  item: ScrapedItem,
  { base, scripts }: ProcessOptions,
  made: Processed,
): Promise<ScrapedItem> =>
  cutLong(await transformItem(item, base, { scripts, notice: noticeIn(made, item.type) }));

const noticeIn = (made: Processed, type?: string) => (message: string) =>
  void made.notices.push(told({ message, ...(type !== undefined && { type }) }));

async function addChange(
  change: ScrapedChange,
  item: ScrapedItem | undefined,
  { base, scripts }: ProcessOptions,
  made: Processed,
): Promise<void> {
  const rules = base.transform?.changes ?? {};
  const mapped = await mapChange(change, item, rules, { scripts, notice: noticeIn(made) });
  if (mapped) made.changes.push(mapped);
}

/** What is wrong with one thing is a failure of its own; a fault of ours is none. */
async function guarded(
  made: Processed,
  type: string | undefined,
  work: () => Promise<void>,
  at = "",
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isKnown =
      error instanceof ItemMistake ||
      error instanceof ContentMistake ||
      error instanceof ScrapeScriptMistake ||
      error instanceof ScriptError;
    if (!isKnown) throw error;
    made.failures.push(told({ message: at + error.message, ...(type !== undefined && { type }) }));
  }
}
