import type { Catalog } from "./catalog.ts";

/** Where a column comes from: a column of a table. */
export interface Origin {
  relation: number;
  column: number;
}

/** For each view, its column numbers and the table column each is a plain copy of. */
export type ViewOrigins = Map<number, Map<number, Origin>>;

/**
 * PostgreSQL notes, in the stored parse tree of a view, the table and column that each output column is a plain copy
 * of (`resorigtbl`, `resorigcol` of the outermost target list), looking through joins, subqueries and CTEs. Views
 * over views are followed here.
 */
export function findViewOrigins(catalog: Catalog): ViewOrigins {
  const direct: ViewOrigins = new Map(
    catalog.views.map(({ oid, rule }) => [oid, readTargetList(rule)]),
  );
  const resolved: ViewOrigins = new Map();
  for (const [view, columns] of direct) {
    const origins = new Map<number, Origin>();
    for (const [number, origin] of columns) {
      const table = follow(origin, direct);
      if (table) origins.set(number, table);
    }
    resolved.set(view, origins);
  }
  return resolved;
}

function follow(origin: Origin, direct: ViewOrigins): Origin | undefined {
  let at: Origin | undefined = origin;
  // `create or replace` lets a view select from itself, and then nothing is beneath it.
  const passed = new Set<number>();
  while (at && !passed.has(at.relation)) {
    const columns = direct.get(at.relation);
    if (!columns) return at;
    passed.add(at.relation);
    at = columns.get(at.column);
  }
  return undefined;
}

const entryField = /:(resno|resorigtbl|resorigcol) (\d+)/y;
const targetList = ":targetList (";

function readTargetList(rule: string): Map<number, Origin> {
  const columns = new Map<number, Origin>();
  let depth = 0;
  let inTargets = false;
  let entry: Record<string, number> = {};
  for (let at = 0; at < rule.length; at += 1) {
    const character = rule[at];
    if (character === "\\") {
      at += 1;
    } else if (character === "{") {
      depth += 1;
      if (inTargets && depth === 2) entry = {};
    } else if (character === "}") {
      depth -= 1;
      if (inTargets && depth === 1) addEntry(columns, entry);
    } else if (character === ":" && depth === 1 && rule.startsWith(targetList, at)) {
      inTargets = true;
      at += targetList.length - 1;
    } else if (character === ")" && depth === 1 && inTargets) {
      break;
    } else if (character === ":" && depth === 2 && inTargets) {
      entryField.lastIndex = at;
      const [, name, value] = entryField.exec(rule) ?? [];
      if (name) entry[name] = Number(value);
    }
  }
  return columns;
}

function addEntry(columns: Map<number, Origin>, entry: Record<string, number>): void {
  const { resno, resorigtbl, resorigcol } = entry;
  if (resno && resorigtbl && resorigcol)
    columns.set(resno, { relation: resorigtbl, column: resorigcol });
}
