import {
  aggregate,
  groupChecks,
  nameKey,
  type Aggregate,
  type HealthCheck,
} from "./group-checks.ts";
import { order, type RowOptions, sortGroups } from "./health-rows.ts";
import { noGrouping } from "./health-view.ts";

export interface Pivot {
  columns: string[];
  rows: PivotRow[];
}

export interface PivotRow {
  id: string;
  name: string;
  cells: ReadonlyMap<string, { aggregate: Aggregate; checks: readonly HealthCheck[] }>;
}

/** Columns that a pivot shows at most; what is left out is said beside the table. */
export const mostPivotColumns = 50;

export interface PivotOptions extends RowOptions {
  columnOf: (item: HealthCheck) => string;
}

/** Groups down, values of another property across. Without grouping every check name is a row. */
export function pivotChecks(checks: readonly HealthCheck[], options: PivotOptions): Pivot {
  const groups = sortGroups(
    groupChecks(checks, {
      ...options,
      groupBy: options.groupBy === noGrouping ? "name" : options.groupBy,
    }),
    options,
  );
  const columns = new Set<string>();
  const rows = groups.map((group): PivotRow => {
    const members = new Map<string, HealthCheck[]>();
    // All of them, as in the groups of the list: hiding what passes changes no count.
    for (const item of group.members) {
      const column = options.columnOf(item);
      columns.add(column);
      const known = members.get(column);
      if (known) known.push(item);
      else members.set(column, [item]);
    }
    return {
      id: group.id,
      name: group.name,
      cells: new Map(
        [...members].map(([column, own]) => [column, { checks: own, aggregate: aggregate(own) }]),
      ),
    };
  });
  return { columns: [...columns].toSorted((a, b) => order(nameKey(a), nameKey(b))), rows };
}
