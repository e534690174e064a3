import type { ScrapeResult } from "#features/catalog/index.ts";
import { formatTable } from "./table.ts";

/** Where something other is named: its external id, or what it is looked for by. */
const targetOf = (to: object): string =>
  Object.entries(to)
    .map(([key, value]) =>
      key === "externalId"
        ? String(value)
        : `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    )
    .join(" ");

/** What scrapes found, a table for each kind of thing that there is. */
export function scrapeTables(results: readonly ScrapeResult[]): string {
  return results
    .flatMap(({ scraper, items, changes, insights, errors, warnings, found }) => [
      `${scraper}: ${found} items, ${changes.length} changes, ${insights.length} insights`,
      section(
        ["TYPE", "NAME", "ID", "HEALTH", "STATUS"],
        items.map((item) => [
          item.type,
          item.name,
          item.externalId,
          item.health ?? "",
          item.status ?? "",
        ]),
      ),
      section(
        ["CHANGE", "SEVERITY", "ITEM", "SUMMARY"],
        changes.map((change) => [
          change.changeType,
          change.severity ?? "info",
          change.item.externalId,
          change.summary ?? "",
        ]),
      ),
      section(
        ["INSIGHT", "TYPE", "SEVERITY", "ITEM", "SUMMARY"],
        insights.map((insight) => [
          insight.analyzer,
          insight.analysisType,
          insight.severity,
          insight.item.externalId,
          insight.summary ?? insight.message ?? "",
        ]),
      ),
      section(
        ["FROM", "RELATIONSHIP", "TO"],
        items.flatMap((item) => [
          ...item.parents
            .slice(0, 1)
            .map((parent) => [parent.externalId, "parent of", item.externalId]),
          ...item.relations.map(({ to, relation, isIncoming, isParent }) => {
            const called = isParent ? "child of" : relation || "related to";
            return isIncoming
              ? [targetOf(to), called, item.externalId]
              : [item.externalId, called, targetOf(to)];
          }),
        ]),
      ),
      ...warnings.map((message) => `warning: ${message}`),
      ...errors.map((message) => `error: ${message}`),
    ])
    .filter((part) => part !== "")
    .join("\n\n");
}

const section = (head: string[], rows: string[][]): string =>
  rows.length === 0 ? "" : formatTable(head, rows);
