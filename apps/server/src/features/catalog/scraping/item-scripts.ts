import type { Evaluator, Language, Value } from "@mainstay/scripting";
import { ScriptError, valueAsJson } from "@mainstay/scripting";
import { isObject, type Json } from "../changes/json-patch.ts";
import type { ScrapedChange, ScrapedItem } from "./scraped.ts";

/** A script of a scraper went wrong. */
export class ScrapeScriptMistake extends Error {}

/** The scripts of one scrape: they see items, and nothing of the server. */
export interface ItemScripts {
  evaluate(script: {
    /** Where it stands: `transform.mask.0.selector`. */
    name: string;
    language: Language;
    text: string;
    context: Readonly<Record<string, Value>>;
    isSpec?: boolean;
  }): Promise<{ value: Value; text: string }>;
}

export function itemScripts(evaluator: Evaluator): ItemScripts {
  return {
    async evaluate({ name, language, text, context, isSpec }) {
      try {
        return await evaluator.evaluate({
          language,
          script: text,
          context,
          ...(isSpec && { isSpec }),
        });
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error;
        const place = [error.language, error.line, error.column].filter(
          (part) => part !== undefined,
        );
        throw new ScrapeScriptMistake(`${name}: ${place.join(":")}: ${error.message}`, {
          cause: error,
        });
      }
    },
  };
}

/** An item as scripts see it. Source: spec formats, section 7.3. */
export const itemContext = (item: ScrapedItem): Record<string, Value> => ({
  id: item.externalId,
  aliases: [...item.aliases],
  name: item.name,
  config_type: item.type,
  config_class: item.configClass,
  status: item.status ?? "",
  health: item.health ?? "",
  ready: item.ready ?? false,
  description: item.description ?? "",
  icon: item.icon ?? "",
  source: item.source ?? "",
  format: "json",
  created_at: item.createdAt ?? null,
  deleted_at: item.deletedAt ?? null,
  delete_reason: item.deleteReason ?? "",
  last_modified: null,
  action: "",
  scraper_less: false,
  labels: { ...item.labels },
  tags: { ...item.tags },
  properties: item.properties as unknown as Value,
  config: item.config,
});

/** A change as scripts see it, beside its item; the item's names that a change has, too, begin with `config_`. */
export function changeContext(
  change: ScrapedChange,
  item: ScrapedItem | undefined,
): Record<string, Value> {
  const own: Record<string, Value> = {
    change_type: change.changeType,
    severity: change.severity ?? "",
    source: change.source ?? "",
    summary: change.summary ?? "",
    action: change.action === "keep" ? "" : (change.action ?? ""),
    external_id: change.item.externalId,
    external_change_id: change.externalChangeId ?? "",
    created_at: change.createdAt ?? null,
    created_by: change.createdBy ?? "",
    details: change.details ?? {},
    patches: change.patches ?? null,
    diff: change.diff ?? "",
  };
  const its = item ? itemContext(item) : { config: {}, config_type: "", name: "", tags: {} };
  const beside = Object.entries(its).map(([key, value]) => [
    Object.hasOwn(own, key) ? `config_${key}` : key,
    value,
  ]);
  return {
    ...(Object.fromEntries(beside) as Record<string, Value>),
    ...own,
    change: own,
    patch: own,
    config_item: its,
  };
}

export const isTrue = ({ value, text }: { value: Value; text: string }): boolean =>
  value === true || text.trim() === "true";

/** What a script that makes items has made, as a list of objects. @throws ScrapeScriptMistake */
export function madeElements(
  name: string,
  { value, text }: { value: Value; text: string },
): Json[] {
  const made =
    typeof value === "object" && value !== null
      ? (JSON.parse(valueAsJson(value)) as Json)
      : parsed(name, text);
  if (!Array.isArray(made))
    throw new ScrapeScriptMistake(`${name}: gives ${kindOf(made)}, a list of objects is wanted.`);
  const wrong = (made as readonly Json[]).findIndex((one) => !isObject(one));
  if (wrong >= 0)
    throw new ScrapeScriptMistake(
      `${name}: gives ${kindOf((made as readonly Json[])[wrong]!)} in place ${wrong}, an object is wanted.`,
    );
  return [...(made as readonly Json[])];
}

const kindOf = (value: Json) =>
  value === null
    ? "null"
    : isObject(value)
      ? "an object"
      : Array.isArray(value)
        ? "a list"
        : `a ${typeof value}`;

function parsed(name: string, text: string): Json {
  if (text.trim() === "") return [];
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new ScrapeScriptMistake(`${name}: gives no JSON: ${(error as Error).message}`);
  }
}
