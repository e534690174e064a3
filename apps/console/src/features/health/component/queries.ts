import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { columns, db, eq } from "#lib/db.ts";

export const componentCheckQueries = {
  /** G14. A check that belongs to a component for several reasons is one. */
  ofComponent: (componentId: string) =>
    queryOptions({
      queryKey: ["health", "checks of component", componentId],
      queryFn: async ({ signal }) => {
        const found = await db.list(
          "checks_by_component",
          {
            select: columns("checks_by_component", "id", "name", "type", "status", "severity"),
            where: { component_id: eq(componentId) },
            order: ["name.asc"],
          },
          { signal },
        );
        const rows = [...new Map(found.map((row) => [row.id, row])).values()];
        return { rows, total: rows.length };
      },
      placeholderData: keepPreviousData,
      meta: { tables: ["checks", "topology"] },
    }),
};
