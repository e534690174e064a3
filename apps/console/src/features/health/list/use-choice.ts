import { useMemo, useState } from "react";
import type { RowChoice } from "@mainstay/ui/data-table/DataTable.tsx";
import type { HealthCheck } from "../view/group-checks.ts";
import type { TableRow } from "./NameCell.tsx";

const nobody: ReadonlySet<string> = new Set();

const checksOf = (row: TableRow): readonly HealthCheck[] =>
  row.kind === "check" ? [row.item] : row.checks;

/**
 * Which checks are chosen, of those that are shown, in their order. What the filters hide is not acted on, and is chosen
 * again when it comes back. A group is chosen with all of its checks that are shown.
 */
export function useChoice(shown: readonly HealthCheck[], lines: readonly TableRow[]) {
  const [ids, setIds] = useState(nobody);
  const [last, setLast] = useState<string>();
  const chosen = useMemo(
    () => (ids.size === 0 ? [] : shown.filter(({ check }) => ids.has(check.id))),
    [shown, ids],
  );
  const isAll = chosen.length > 0 && chosen.length === shown.length;
  const isSelected = (row: TableRow) => checksOf(row).every(({ check }) => ids.has(check.id));
  const set = (checks: readonly HealthCheck[], isChosen: boolean) => {
    const next = new Set(ids);
    for (const { check } of checks)
      if (isChosen) next.add(check.id);
      else next.delete(check.id);
    setIds(next);
  };
  const choice: RowChoice<TableRow> = {
    isSelected,
    onSelect(row, withShift) {
      const at = lines.findIndex(({ id, kind }) => id === row.id && kind === row.kind);
      const from = withShift ? lines.findIndex(({ id }) => id === last) : -1;
      const range =
        from < 0 || at < 0 ? [row] : lines.slice(Math.min(from, at), Math.max(from, at) + 1);
      set(range.flatMap(checksOf), !isSelected(row));
      setLast(row.id);
    },
    state: isAll ? "all" : chosen.length > 0 ? "some" : "none",
    onSelectAll: () => setIds(isAll ? nobody : new Set(shown.map(({ check }) => check.id))),
  };
  return { chosen, choice, clear: () => setIds(nobody) };
}
