import { queryOptions } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import { columns, db, embedding, eq, oneOf } from "#lib/db.ts";
import { changesKey } from "../queries.ts";

/** A change as it is kept, with its item. */
export type WholeChange = Rows["config_changes"] & {
  config: { id: string; name: string | null; type: string; config_class: string | null } | null;
};

export const oneChange = {
  whole: (id: string) =>
    queryOptions({
      queryKey: [...changesKey, "one", id],
      queryFn: ({ signal }) =>
        db.first<"config_changes", WholeChange>(
          "config_changes",
          {
            select: embedding("*,config:configs(id,name,type,config_class)"),
            where: { id: eq(id) },
          },
          { signal },
        ),
    }),
  /** When an item was last seen to become unwell. */
  brokeAt: (itemId: string) =>
    queryOptions({
      queryKey: [...changesKey, "broke", itemId],
      queryFn: ({ signal }) =>
        db.first(
          "config_changes",
          {
            select: columns("config_changes", "created_at"),
            where: { config_id: eq(itemId), change_type: oneOf(["Unhealthy", "Warning"]) },
            order: ["created_at.desc"],
            limit: 1,
          },
          { signal },
        ),
      staleTime: 0,
    }),
};
