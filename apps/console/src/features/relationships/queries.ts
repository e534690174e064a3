import { queryOptions } from "@tanstack/react-query";
import { db, embedding, eq } from "#lib/db.ts";

interface Named {
  id: string;
  name: string;
}

interface CheckRelations {
  id: string;
  components?: { components: Named }[] | null;
  configs?: { configs: Named }[] | null;
}

export const relationshipQueries = {
  /** The components and the catalog items that a check belongs to. */
  ofCheck: (checkId: string) =>
    queryOptions({
      queryKey: ["relationships", "check", checkId],
      queryFn: async ({ signal }) => {
        const row = await db.first(
          "checks",
          {
            select: embedding<CheckRelations>(
              "id,components:check_component_relationships(components(id,name)),configs:check_config_relationships(configs(id,name))",
            ),
            where: { id: eq(checkId) },
          },
          { signal },
        );
        return {
          components: (row?.components ?? []).map(({ components }) => components),
          configs: (row?.configs ?? []).map(({ configs }) => configs),
        };
      },
      meta: { tables: ["checks"], rows: () => ({ checks: [checkId] }) },
    }),
};
