import { useMemo, useState, type ReactNode } from "react";
import { DataTable } from "@mainstay/ui/data-table/DataTable.tsx";
import type { HealthCheck } from "../view/group-checks.ts";
import { healthColumns, PhoneRow, type TableRow } from "./columns.tsx";
import { visibleRows, type HealthRow } from "../view/health-rows.ts";
import { sortKeys, type HealthView } from "../view/health-view.ts";
import { usePlaceColumns } from "#lib/places/use-place-columns.tsx";
import type { ChangeUrl } from "#lib/url-state.ts";

export interface HealthTableProps {
  rows: readonly HealthRow[];
  view: HealthView;
  /** The search that the rows belong to. */
  query: string;
  change: ChangeUrl<HealthView>;
  onOpen: (item: HealthCheck) => void;
  isLoading: boolean;
  empty: ReactNode;
}

const noToggles: ReadonlyMap<string, boolean> = new Map();
const rowIdOf = (row: TableRow) =>
  row.kind === "check" && row.groupId !== undefined ? `${row.groupId}/${row.id}` : row.id;
const levelOf = (row: TableRow) => (row.kind === "check" && row.groupId !== undefined ? 2 : 1);
const givenOf = (row: TableRow) => (row.kind === "check" ? { check: row.item.check } : undefined);
const phoneRow = (row: TableRow) => <PhoneRow row={row} />;

export function HealthTable({
  rows,
  view,
  query,
  change,
  onOpen,
  isLoading,
  empty,
}: HealthTableProps) {
  const [toggled, setToggled] = useState(noToggles);
  const { sortBy, sortDesc } = view;
  const guests = usePlaceColumns("check", givenOf);
  const columns = useMemo(() => [...healthColumns, ...guests], [guests]);
  // What a search found is not hidden in closed groups, and one group alone has nothing to choose from.
  const opensAll = query !== "" || (rows.length === 1 && rows[0]?.kind === "group");

  const lines = useMemo(() => {
    const isOpen = (groupId: string) => toggled.get(groupId) ?? opensAll;
    return visibleRows(rows, { sortBy, sortDesc, isOpen }).map((row): TableRow =>
      row.kind === "group" ? { ...row, isOpen: isOpen(row.id) } : row,
    );
  }, [rows, sortBy, sortDesc, toggled, opensAll]);

  return (
    <DataTable
      label="Checks"
      columns={columns}
      rows={lines}
      rowId={rowIdOf}
      level={levelOf}
      isExpanded={(row) => (row.kind === "group" ? row.isOpen : undefined)}
      onToggle={(row) => {
        if (row.kind === "group") setToggled(new Map(toggled).set(row.id, !row.isOpen));
      }}
      onOpen={(row) => {
        if (row.kind === "check") onOpen(row.item);
      }}
      renderPhoneRow={phoneRow}
      sort={sortBy === undefined ? null : { by: sortBy, desc: sortDesc }}
      onSort={(sort) =>
        change(
          { sortBy: sortKeys.find((key) => key === sort?.by), sortDesc: sort?.desc ?? false },
          { replace: true },
        )
      }
      isLoading={isLoading}
      empty={empty}
      storageKey="mainstay.columns.health"
    />
  );
}
