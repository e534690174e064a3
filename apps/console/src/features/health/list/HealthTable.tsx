import { Suspense, useMemo, useState, type ReactNode } from "react";
import { runCheckRoles } from "@mainstay/contract/permissions.ts";
import { DataTable } from "@mainstay/ui/data-table/DataTable.tsx";
import { withTriState } from "@mainstay/ui/filters/tri-state-filter.ts";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import type { HealthCheck } from "../view/group-checks.ts";
import { expiryColumn, healthColumns, PhoneRow } from "./columns.tsx";
import type { TableRow } from "./NameCell.tsx";
import { checksOfRows, visibleRows, type HealthRow } from "../view/health-rows.ts";
import { sortKeys, type HealthView } from "../view/health-view.ts";
import { useAccess } from "#lib/use-access.ts";
import { healthColumnsKey } from "./columns-key.ts";
import { useChoice } from "./use-choice.ts";
import { usePlaceColumns } from "#lib/places/use-place-columns.tsx";
import type { ChangeUrl } from "#lib/url-state.ts";

export interface HealthTableProps {
  rows: readonly HealthRow[];
  /** Every check there is, whatever is filtered. */
  all: readonly HealthCheck[];
  view: HealthView;
  /** The search that the rows belong to. */
  query: string;
  change: ChangeUrl<HealthView>;
  onOpen: (item: HealthCheck) => void;
  isLoading: boolean;
  empty: ReactNode;
}

const BulkActions = lazyPart(() =>
  import("../bulk/BulkActions.tsx").then((module) => module.BulkActions),
);

const rowIdOf = (row: TableRow) =>
  row.kind === "check" && row.groupId !== undefined ? `${row.groupId}/${row.id}` : row.id;
const levelOf = (row: TableRow) => (row.kind === "check" && row.groupId !== undefined ? 2 : 1);
const givenOf = (row: TableRow) => (row.kind === "check" ? { check: row.item.check } : undefined);
const phoneRow = (row: TableRow) => <PhoneRow row={row} />;

export function HealthTable({
  rows,
  all,
  view,
  query,
  change,
  onOpen,
  isLoading,
  empty,
}: HealthTableProps) {
  const { sortBy, sortDesc, expanded } = view;
  const guests = usePlaceColumns("check", givenOf);
  const hasExpiry = useMemo(() => all.some(({ check }) => check.expires_at !== undefined), [all]);
  const columns = useMemo(
    () => [...healthColumns, ...(hasExpiry ? [expiryColumn] : []), ...guests],
    [hasExpiry, guests],
  );
  // What a search found is not hidden in closed groups, and one group alone has nothing to choose from.
  const opensAll = query !== "" || (rows.length === 1 && rows[0]?.kind === "group");

  const lines = useMemo(() => {
    const isOpen = ({ name }: { name: string }) => {
      const said = expanded.get(name);
      return said === undefined ? opensAll : said === 1;
    };
    return visibleRows(rows, { sortBy, sortDesc, isOpen }).map((row): TableRow =>
      row.kind === "group" ? { ...row, isOpen: isOpen(row) } : row,
    );
  }, [rows, sortBy, sortDesc, expanded, opensAll]);

  const shown = useMemo(() => checksOfRows(rows, { sortBy, sortDesc }), [rows, sortBy, sortDesc]);
  const [isActing, setIsActing] = useState(false);
  const { chosen, choice, clear } = useChoice(shown, lines);
  const access = useAccess();
  const mayAct = access.may("write", "canaries") || access.hasRole(runCheckRoles);

  return (
    <>
      <DataTable
        label="Checks"
        columns={columns}
        rows={lines}
        rowId={rowIdOf}
        level={levelOf}
        isExpanded={(row) => (row.kind === "group" ? row.isOpen : undefined)}
        onToggle={(row) => {
          if (row.kind !== "group") return;
          const wanted = !row.isOpen;
          const state = wanted === opensAll ? 0 : wanted ? 1 : -1;
          change({ expanded: withTriState(expanded, row.name, state) }, { replace: true });
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
        storageKey={healthColumnsKey}
        shown={{
          ids: view.columns,
          onChange: (ids) => change({ columns: ids }, { replace: true }),
        }}
        exportName="checks"
        // Those of closed groups too: what a file leaves out nobody could open.
        loadExport={() =>
          Promise.resolve(
            shown.map((item): TableRow => ({
              kind: "check",
              id: item.check.id,
              item,
              groupId: undefined,
            })),
          )
        }
        choice={mayAct ? choice : undefined}
      />
      <Suspense>
        {(chosen.length > 0 || isActing) && (
          <BulkActions chosen={chosen} all={all} onClear={clear} onActing={setIsActing} />
        )}
      </Suspense>
    </>
  );
}
