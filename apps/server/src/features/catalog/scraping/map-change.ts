import type { ChangeMapping, ChangesSpec } from "@mainstay/contract";
import { changeContext, isTrue, type ItemScripts, ScrapeScriptMistake } from "./item-scripts.ts";
import { selectorOf, sourceOf } from "./relate.ts";
import type { ScrapedChange, ScrapedItem } from "./scraped.ts";

/** Changes of these types are the end of their item, unless a mapping says otherwise. Source: spec formats, 7.4. */
const deleting = /^(delete|remove|terminate)/i;

/**
 * What becomes of a change by a scraper's rules: nothing when one of them leaves it out. The first mapping that fits says
 * what it is.
 */
export async function mapChange(
  change: ScrapedChange,
  item: ScrapedItem | undefined,
  { mapping = [], exclude = [] }: ChangesSpec,
  { scripts, notice }: { scripts: ItemScripts; notice(message: string): void },
): Promise<ScrapedChange | undefined> {
  const asks = async (name: string, text: string, language: "cel" | "gotemplate") =>
    scripts.evaluate({ name, language, text, context: changeContext(change, item) });
  const note = (error: unknown) => {
    if (!(error instanceof ScrapeScriptMistake)) throw error;
    notice(error.message);
  };
  for (const [index, text] of exclude.entries())
    try {
      if (isTrue(await asks(`transform.changes.exclude.${index}`, text, "cel")))
        return { ...change, action: "ignore" };
    } catch (error) {
      note(error);
    }
  for (const [index, rule] of mapping.entries()) {
    const name = `transform.changes.mapping.${index}`;
    try {
      if (rule.filter && !isTrue(await asks(`${name}.filter`, rule.filter, "cel"))) continue;
      const summary = rule.summary
        ? (await asks(`${name}.summary`, rule.summary, "gotemplate")).text
        : undefined;
      return {
        ...change,
        ...(await whereTo(name, rule, { change, item, scripts })),
        ...(rule.type && { changeType: rule.type }),
        ...(rule.severity && { severity: rule.severity }),
        ...(summary !== undefined && { summary }),
      };
    } catch (error) {
      note(error);
    }
  }
  return change.action === undefined && deleting.test(change.changeType)
    ? { ...change, action: "delete" }
    : change;
}

/** Whose change it becomes. */
async function whereTo(
  name: string,
  rule: ChangeMapping,
  {
    change,
    item,
    scripts,
  }: { change: ScrapedChange; item: ScrapedItem | undefined; scripts: ItemScripts },
): Promise<Partial<ScrapedChange>> {
  const found: Partial<ScrapedChange> = {};
  if (rule.config_id) {
    const context = changeContext(change, item);
    const { text } = await scripts.evaluate({
      name: `${name}.config_id`,
      language: "cel",
      text: rule.config_id,
      context,
    });
    if (text.trim() !== "")
      found.item = {
        externalId: text.trim(),
        ...(rule.config_type && { type: rule.config_type }),
      };
  }
  switch (rule.action) {
    case "delete":
    case "ignore":
      return { ...found, action: rule.action };
    case "move-up":
    case "copy-up":
      return {
        ...found,
        goesTo: { ancestor: rule.ancestor_type },
        isCopied: rule.action === "copy-up",
      };
    case "move":
    case "copy": {
      const selector =
        rule.target && item
          ? await selectorOf(`${name}.target`, rule.target, sourceOf(item), scripts)
          : undefined;
      return selector
        ? { ...found, goesTo: { selector }, isCopied: rule.action === "copy" }
        : found;
    }
    case undefined:
      return found;
  }
}
