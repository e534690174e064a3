import { useQuery } from "@tanstack/react-query";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import { relationshipQueries } from "./queries.ts";

export interface RelationshipsProps {
  check: { id: string };
}

/** How many there are; nothing until that is known. */
export function RelationsCount({ check }: RelationshipsProps) {
  const { data } = useQuery(relationshipQueries.ofCheck(check.id));
  return data && <Badge>{data.components.length + data.configs.length}</Badge>;
}

/** The components and catalog items that a check belongs to. */
export function RelationshipsTab({ check }: RelationshipsProps) {
  const { data, error, refetch } = useQuery(relationshipQueries.ofCheck(check.id));
  if (!data) {
    return error ? (
      <ErrorDisplay
        title="The relationships could not be loaded"
        message={messageOf(error)}
        onRetry={() => void refetch()}
      />
    ) : (
      <SkeletonRows />
    );
  }
  const groups = [
    { title: "Components", items: data.components },
    { title: "Catalog", items: data.configs },
  ].filter(({ items }) => items.length > 0);
  if (groups.length === 0) {
    return (
      <EmptyState title="No data available">
        Components and catalog items that this check belongs to appear here.
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-4 p-4">
      {groups.map(({ title, items }) => (
        <section key={title} aria-label={title}>
          <h3 className="m-0 mb-1 text-xs font-semibold text-muted">{title}</h3>
          <ul className="m-0 list-none p-0">
            {items.map((item) => (
              <li key={item.id} className="py-1">
                {item.name}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
