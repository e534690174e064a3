import { Lock } from "lucide-react";
import { isKeptInConsole, placeOf } from "@mainstay/contract/sources.ts";
import { Age } from "@mainstay/ui/Age.tsx";
import { Avatar } from "@mainstay/ui/Avatar.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { Icon } from "@mainstay/ui/Icon.tsx";
import type { ListedConnection } from "./queries.ts";
import { typeLabel } from "./type-labels.ts";

/** Kept elsewhere: why its form is only read. */
export function SourceLock({ source }: { source: string | null }) {
  if (isKeptInConsole(source)) return null;
  const text = `Kept in ${source} and changed there`;
  return (
    <span data-tooltip={text} className="shrink-0 text-muted">
      <Lock aria-hidden="true" size={12} strokeWidth={1.75} />
      <span className="sr-only">{text}</span>
    </span>
  );
}

export const columns: readonly Column<ListedConnection>[] = [
  {
    id: "name",
    header: "Name",
    minWidth: 180,
    hideable: false,
    sortable: true,
    value: ({ name }) => name,
    renderCell: ({ name, type, source }) => (
      <span className="flex min-w-0 items-center gap-2">
        <Icon name={type} />
        <bdi className="truncate" data-tooltip={name}>
          {name}
        </bdi>
        <SourceLock source={source} />
      </span>
    ),
  },
  {
    id: "type",
    header: "Type",
    width: 180,
    sortable: true,
    value: ({ type }) => typeLabel(type),
    renderCell: ({ type }) => <span className="truncate">{typeLabel(type)}</span>,
  },
  {
    id: "namespace",
    header: "Namespace",
    width: 160,
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
    value: ({ source }) => placeOf(source),
    renderCell: ({ source }) => (
      <span className="truncate" data-tooltip={source ?? undefined}>
        {isKeptInConsole(source) ? "UI" : source}
      </span>
    ),
  },
  {
    id: "created_by",
    header: "Created By",
    width: 160,
    value: (connection) => connection.created_by?.name,
    renderCell: ({ created_by: maker }) =>
      maker === null ? (
        "–"
      ) : (
        <span className="flex min-w-0 items-center gap-2">
          <Avatar name={maker.name} src={maker.avatar} size={20} />
          <bdi className="truncate">{maker.name}</bdi>
        </span>
      ),
  },
  {
    id: "created_at",
    header: "Created",
    width: 100,
    sortable: true,
    value: (connection) => connection.created_at,
    renderCell: (connection) => <Age at={connection.created_at} />,
  },
  {
    id: "updated_at",
    header: "Updated",
    width: 100,
    sortable: true,
    value: (connection) => connection.updated_at,
    renderCell: (connection) => <Age at={connection.updated_at} />,
  },
];
