import { unsupported } from "../errors.ts";
import type { Logic } from "../parse/filters.ts";
import type { OrderTerm } from "../parse/order.ts";
import type { At, Query } from "../parse/query.ts";
import type { Column, Table } from "../schema/schema.ts";
import { checkPath, emptyDraft, planLogic, planOrder, rowRule, valueListLogic } from "./draft.ts";
import type { PlannedLogic, PlannedOrder } from "./plan.ts";
import type { PlanScope } from "./scope.ts";

/** Plans the conditions of an update or delete, which are about the table itself. */
export function planConditions<Context>(
  scope: PlanScope<Context>,
  table: Table<Context>,
  where: readonly At<Logic>[],
  valueLists: Query["valueLists"],
): PlannedLogic[] {
  const at = emptyDraft(scope, { name: table.name, columns: table.columns, table }, { next: 0 });
  const asked = [
    ...valueLists.flatMap(({ column, text }) => valueListLogic(at, column, text, scope.now)),
    ...where.filter(({ path }) => path.length === 0).map(({ value }) => value),
  ].map((logic) => planLogic(at, logic));
  return [...asked, ...rowRule(scope, table, at.plan.alias)];
}

/** Plans the order in which an update or delete takes its rows. */
export function planWriteOrder<Context>(
  scope: PlanScope<Context>,
  table: Table<Context>,
  terms: readonly OrderTerm[],
): PlannedOrder[] {
  // Where a row lies orders the rows of a table without a key.
  const columns = table.isView ? table.columns : new Map([["ctid", rowPlace], ...table.columns]);
  const at = emptyDraft(scope, { name: table.name, columns, table }, { next: 0 });
  return terms.map((term) => planOrder(at, term));
}

const rowPlace: Column = {
  name: "ctid",
  type: "tid",
  base: "tid",
  isJson: false,
  isMoment: false,
  generated: true,
  nullable: false,
  default: null,
  comment: null,
  maxLength: null,
  labels: null,
  toJson: null,
  fromText: null,
  fromJson: null,
};

/** Refuses conditions on embeds that are not there, and an update or delete that names its rows by them alone. */
export function refuseUnclearWrite({ select, where, valueLists }: Query): void {
  for (const { path } of where) checkPath(select ?? [], path);
  const isEmbedsOnly = where.length > 0 && where.every(({ path }) => path.length > 0);
  if (isEmbedsOnly && valueLists.length === 0) {
    throw unsupported(
      "Conditions on embeds do not choose the rows of PATCH and DELETE.",
      "Add filters on the table itself.",
    );
  }
}
