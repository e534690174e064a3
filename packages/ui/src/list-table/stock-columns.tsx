import type { ReactNode } from "react";
import { Age } from "../Age.tsx";
import { Avatar } from "../Avatar.tsx";
import type { Column } from "../data-table/column.ts";

/** The columns that most lists have. */

export const nameColumn = <Row extends { name: string }>({
  mark,
  after,
}: {
  /** In front of the name: what kind of thing it is. */
  mark?: (row: Row) => ReactNode;
  after?: (row: Row) => ReactNode;
} = {}): Column<Row> => ({
  id: "name",
  header: "Name",
  minWidth: 180,
  hideable: false,
  sortable: true,
  value: ({ name }) => name,
  renderCell: (row) => (
    <span className="flex min-w-0 items-center gap-2">
      {mark?.(row)}
      <bdi className="truncate" data-tooltip={row.name}>
        {row.name}
      </bdi>
      {after?.(row)}
    </span>
  ),
});

interface Made {
  created_by?: { name: string; avatar?: string | null } | null | undefined;
}

export const createdByColumn = (
  about: Pick<Column<Made>, "width" | "minWidth" | "dropOrder" | "sortable">,
): Column<Made> => ({
  id: "created_by",
  header: "Created By",
  ...about,
  value: ({ created_by: maker }) => maker?.name,
  renderCell: ({ created_by: maker }) =>
    maker ? (
      <span className="flex min-w-0 items-center gap-2">
        <Avatar name={maker.name} src={maker.avatar} size={20} />
        <bdi className="truncate">{maker.name}</bdi>
      </span>
    ) : (
      "–"
    ),
});

/** When something happened: the name of what the row holds, and of the column. */
export const ageColumn = <Key extends string>(
  id: Key,
  header: string,
): Column<{ readonly [Name in Key]?: string | null | undefined }> => ({
  id,
  header,
  width: 110,
  sortable: true,
  value: (row) => row[id],
  renderCell: (row) => <Age at={row[id]} />,
});

/** What can be done with a row: the last column, which needs no header and is there however narrow the list. */
export const actionsColumn = <Row,>(renderCell: (row: Row) => ReactNode): Column<Row> => ({
  id: "actions",
  header: "Actions",
  hideHeader: true,
  hideable: false,
  pinned: "end",
  width: 56,
  renderCell,
});
