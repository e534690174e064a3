import { Lock } from "lucide-react";
import { isKeptInConsole, placeOf } from "@mainstay/contract/sources.ts";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { ageColumn, createdByColumn, nameColumn } from "@mainstay/ui/list-table/stock-columns.tsx";
import type { ListedConnection } from "./queries.ts";
import { typeLabel } from "./type-labels.ts";

/** Kept elsewhere: why its form is only read. */
export function SourceLock({ source }: { source: string | null }) {
  if (isKeptInConsole(source)) return null;
  const text = `Kept in ${placeOf(source)} and changed there`;
  return (
    <span data-tooltip={text} className="shrink-0 text-muted">
      <Lock aria-hidden="true" size={12} strokeWidth={1.75} />
      <span className="sr-only">{text}</span>
    </span>
  );
}

export const columns: readonly Column<ListedConnection>[] = [
  nameColumn({
    mark: ({ type }) => <Icon name={type} />,
    after: ({ source }) => <SourceLock source={source} />,
  }),
  {
    id: "type",
    header: "Type",
    width: 180,
    minWidth: 140,
    sortable: true,
    value: ({ type }) => typeLabel(type),
    renderCell: ({ type }) => <span className="truncate">{typeLabel(type)}</span>,
  },
  {
    id: "namespace",
    header: "Namespace",
    width: 160,
    minWidth: 110,
    sortable: true,
    value: ({ namespace }) => namespace,
    renderCell: ({ namespace }) => (
      <span className="truncate" data-tooltip={namespace}>
        {namespace}
      </span>
    ),
  },
  {
    id: "source",
    header: "Source",
    width: 130,
    minWidth: 96,
    dropOrder: 3,
    value: ({ source }) => placeOf(source),
    renderCell: ({ source }) => (
      <span className="truncate" data-tooltip={source ?? undefined}>
        {isKeptInConsole(source) ? "Console" : placeOf(source)}
      </span>
    ),
  },
  createdByColumn({ width: 160, minWidth: 96, dropOrder: 2 }),
  { ...ageColumn("created_at", "Created"), dropOrder: 1 },
  { ...ageColumn("updated_at", "Updated"), dropOrder: 4 },
];
