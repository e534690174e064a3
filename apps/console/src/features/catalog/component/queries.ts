import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { ChoiceSearch } from "@mainstay/ui/choice/use-choice-search.ts";
import { columns, contains, db, embedding, eq, isNull } from "#lib/db.ts";

/** An item that is linked with a component. */
export interface LinkedItem {
  config_id: string;
  selector_id: string | null;
  configs: { id: string; name: string | null; type: string; deleted_at: string | null } | null;
}

/** Links that people made; all others come from the topology's document. */
export const byHand = "manual";

const key = (componentId: string, what: string) => ["catalog", "component", componentId, what];
const kept = { placeholderData: keepPreviousData };

/** Document 2, section 9. */
const mostOptions = 50;

export const componentQueries = {
  /** G9 */
  items: (componentId: string, limit: number) =>
    queryOptions({
      queryKey: [...key(componentId, "items"), limit],
      queryFn: ({ signal }) =>
        db.page(
          "config_component_relationships",
          {
            select: embedding<LinkedItem>(
              "config_id,selector_id,configs:config_items(id,name,type,deleted_at)",
            ),
            where: { component_id: eq(componentId), deleted_at: isNull },
            order: ["created_at.asc", "config_id.asc"],
            limit,
          },
          { signal },
        ),
      ...kept,
      meta: { tables: ["topology", "config_component_relationships", "config_items"] },
    }),

  /** G13 */
  changes: (componentId: string, limit: number) =>
    queryOptions({
      queryKey: [...key(componentId, "changes"), limit],
      queryFn: ({ signal }) =>
        db.page(
          "changes_by_component",
          {
            select: columns(
              "changes_by_component",
              "id",
              "config_id",
              "name",
              "type",
              "change_type",
              "summary",
              "severity",
              "created_at",
            ),
            where: { component_id: eq(componentId) },
            order: ["created_at.desc", "id.desc"],
            limit,
          },
          { signal },
        ),
      ...kept,
      meta: { tables: ["config_changes", "topology"] },
    }),

  /** G16 */
  insights: (componentId: string, limit: number) =>
    queryOptions({
      queryKey: [...key(componentId, "insights"), limit],
      queryFn: ({ signal }) =>
        db.page(
          "analysis_by_component",
          {
            select: columns(
              "analysis_by_component",
              "analysis_id",
              "config_id",
              "name",
              "type",
              "analysis_type",
              "severity",
              "last_observed",
            ),
            where: { component_id: eq(componentId) },
            limit,
          },
          { signal },
        ),
      ...kept,
      meta: { tables: ["config_analysis", "topology"] },
    }),
};

/** Items to link with, by name or type. */
export const findItems: ChoiceSearch = async (text, signal) => {
  const rows = await db.list(
    "config_names",
    {
      select: columns("config_names", "id", "name", "type"),
      ...(text !== "" && { anyOf: [{ name: contains(text) }, { type: contains(text) }] }),
      order: ["name.asc"],
      limit: mostOptions + 1,
    },
    { signal },
  );
  return {
    choices: rows.slice(0, mostOptions).map(({ id, name, type }) => ({
      value: id ?? "",
      label: name ?? id ?? "",
      ...(type && { detail: type }),
    })),
    isPartial: rows.length > mostOptions,
  };
};
