import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { db, embedding } from "#lib/db.ts";

/** An item that another is tied to, and to what it is tied itself. */
export interface RelatedItem {
  id: string;
  name: string | null;
  type: string;
  related_ids: readonly string[] | null;
  /** By which names, for each of those. */
  relations: Readonly<Record<string, readonly string[]>> | null;
  tags: Readonly<Record<string, string>> | null;
  labels: Readonly<Record<string, string>> | null;
  status: string | null;
  health: string | null;
  /** Of the last 30 days. */
  changes: readonly { change_type: string; severity: string; total: number }[] | null;
  analysis: Readonly<Record<string, number>> | null;
  cost_total_1d: number | null;
  cost_total_7d: number | null;
  cost_total_30d: number | null;
  created_at: string | null;
  updated_at: string | null;
  deleted_at: string | null;
  /** Of all rows alike: there are more items than were asked for. */
  is_partial: boolean;
}

export const totalChanges = ({ changes }: Pick<RelatedItem, "changes">): number =>
  (changes ?? []).reduce((sum, { total }) => sum + total, 0);

const selected = embedding<RelatedItem>(
  "id,name,type,related_ids,relations,tags,labels,status,health,changes,analysis,cost_total_1d,cost_total_7d,cost_total_30d,created_at,updated_at,deleted_at,is_partial",
);

export interface RelatedAsked {
  itemId: string;
  outgoing: boolean;
  incoming: boolean;
  soft: boolean;
  hideDeleted: boolean;
  /** No more items than these. */
  reach: number;
}

/** The contract's. */
const maxDepth = 10;

export const relationshipQueries = {
  /** Everything that hangs on an item, the nearest first, and the item itself (C17). */
  related: (asked: RelatedAsked) =>
    queryOptions({
      queryKey: ["catalog", "related", asked],
      queryFn: ({ signal }) => {
        const { itemId, outgoing, incoming, soft, hideDeleted, reach } = asked;
        const relation = soft ? "both" : "hard";
        return db.call(
          "related_configs_recursive",
          {
            config_id: itemId,
            type_filter: outgoing ? (incoming ? "all" : "outgoing") : "incoming",
            include_deleted_configs: !hideDeleted,
            max_depth: maxDepth,
            ...(incoming && { incoming_relation: relation }),
            ...(outgoing && { outgoing_relation: relation }),
            max_nodes: reach,
          },
          { select: selected, signal },
        );
      },
      enabled: asked.outgoing || asked.incoming,
      placeholderData: keepPreviousData,
      meta: {
        tables: ["config_items", "config_changes", "config_analysis", "config_relationships"],
        rows: (data) => {
          const ids = ((data ?? []) as RelatedItem[]).map(({ id }) => id);
          return {
            config_items: ids,
            config_changes: ids,
            config_analysis: ids,
            // What leads here is written of those from where it leads, who are not known yet.
            ...(!asked.incoming && { config_relationships: ids }),
          };
        },
      },
    }),
};
