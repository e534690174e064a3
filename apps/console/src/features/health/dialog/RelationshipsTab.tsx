import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import type { CheckRowDetail } from "../queries.ts";

export const countRelations = (check: CheckRowDetail): number =>
  (check.components?.length ?? 0) + (check.configs?.length ?? 0);

/** The components and catalog items that the check belongs to. */
export function RelationshipsTab({ check }: { check: CheckRowDetail }) {
  if (countRelations(check) === 0) {
    return (
      <EmptyState title="No data available">
        Components and catalog items that this check belongs to appear here.
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-4 p-4">
      {[
        {
          title: "Components",
          items: (check.components ?? []).map(({ components }) => components),
        },
        { title: "Catalog", items: (check.configs ?? []).map(({ configs }) => configs) },
      ]
        .filter(({ items }) => items.length > 0)
        .map(({ title, items }) => (
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
