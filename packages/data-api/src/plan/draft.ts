import { ApiError, noSuchColumn, notEmbedded } from "../errors.ts";
import { nearestColumn } from "../nearest.ts";
import { evaluateDateMath } from "../parse/date-math.ts";
import type { Field } from "../parse/field.ts";
import type { Logic } from "../parse/filters.ts";
import type { OrderTerm } from "../parse/order.ts";
import type { SelectItem } from "../parse/select.ts";
import { momentTest, parseValueList, valueListConditions } from "../parse/value-list.ts";
import type { Column, Table } from "../schema/schema.ts";
import { column } from "../sql/names.ts";
import type { PlannedEmbed, PlannedField, PlannedLogic, PlannedOrder, ReadPlan } from "./plan.ts";
import type { PlanScope, Source } from "./scope.ts";

/** A plan in the making, with what names in it can mean. */
export interface Draft {
  plan: ReadPlan;
  /** What error texts call its rows. */
  said: string;
  /** Names that are like a wrong one may be proposed. */
  proposes: boolean;
  columns: ReadonlyMap<string, Column>;
  /** By their key in the answer; `target` is the other word that conditions may use for one. */
  embeds: Map<string, { target: string; draft: Draft; embed: PlannedEmbed }>;
}

export function rowRule<Context>(
  scope: PlanScope<Context>,
  table: Table<Context> | undefined,
  alias: string,
): PlannedLogic[] {
  const rule = table?.declaration.rowRule;
  // Who asks is looked at only where it matters.
  const condition = rule?.((name) => column(alias, name), scope.asker);
  return condition ? [{ kind: "rule", condition }] : [];
}

/** Whether every row of it may be seen, and PostgreSQL's guesses about it rest on no others. */
export const isWholeTable = <Context>(table: Table<Context> | undefined): boolean =>
  table !== undefined && !table.isView && !table.declaration.rowRule;

export const emptyDraft = <Context>(
  { anyType }: PlanScope<Context>,
  source: Source<Context>,
  aliases: { next: number },
  said = source.name,
): Draft => ({
  said,
  // Where the database's roles decide, its own words are used.
  proposes: anyType,
  plan: {
    table: source.name,
    alias: `r${aliases.next++}`,
    isWhole: !source.isCalled && isWholeTable(source.table),
    output: [],
    embeds: [],
    where: [],
    order: [],
    paging: {},
  },
  columns: source.columns,
  embeds: new Map(),
});

/** Embeds that conditions name must be in `select`; that comes before whether they exist. */
export function checkPath(select: readonly SelectItem[], path: readonly string[]): void {
  let items = select;
  for (const name of path) {
    const embed = items.find(
      (item) => item.kind === "embed" && (item.alias === name || item.target === name),
    );
    if (embed?.kind !== "embed") throw notEmbedded(name);
    items = embed.items;
  }
}

function findEmbed(at: Draft, name: string) {
  const found =
    at.embeds.get(name) ?? [...at.embeds.values()].find(({ target }) => target === name);
  if (!found) throw notEmbedded(name);
  return found;
}

export function find(root: Draft, path: readonly string[]): Draft {
  let at = root;
  for (const name of path) {
    at = findEmbed(at, name).draft;
  }
  return at;
}

/** A secret column can be shown, which tells whether it is set, and used for nothing else. */
export function planField(at: Draft, field: Field, purpose: "show" | "use" = "use"): PlannedField {
  const column = at.columns.get(field.name);
  if (!column || (column.secret && purpose === "use")) {
    const near = at.proposes ? nearestColumn(field.name, at.columns.keys()) : undefined;
    throw noSuchColumn(at.said, field.name, near);
  }
  return { column, path: field.path };
}

export function planOrder(at: Draft, term: OrderTerm): PlannedOrder {
  if (term.embed === undefined)
    return { ...term, embed: undefined, field: planField(at, term.field) };
  const found = at.embeds.get(term.embed);
  if (!found) throw notEmbedded(term.embed);
  const { draft: child, embed } = found;
  if (embed.many) {
    throw new ApiError(
      400,
      "PGRST118",
      `A related order on '${child.plan.table}' is not possible`,
      {
        details: `'${at.plan.table}' and '${child.plan.table}' do not form a many-to-one or one-to-one relationship`,
      },
    );
  }
  // The name that PostgREST gives the joined row.
  const said = child.proposes ? `${at.plan.table}_${child.said}` : child.said;
  return { ...term, embed, field: planField({ ...child, said }, term.field) };
}

export function planLogic(at: Draft, logic: Logic): PlannedLogic {
  if (logic.kind === "group")
    return { ...logic, items: logic.items.map((item) => planLogic(at, item)) };
  const { field, negated, test } = logic;
  if (test.kind === "is" && field.path.length === 0) {
    const embed = at.plan.embeds.find(({ name }) => name === field.name);
    if (embed && (test.value === "null" || test.value === "not_null"))
      return {
        kind: "embedded",
        embed,
        negated: negated !== (test.value === "not_null"),
        value: "null",
      };
  }
  return { kind: "test", field: planField(at, field), negated, test };
}

export function valueListLogic(at: Draft, column: string, text: string, now: () => Date): Logic[] {
  const field: Field = { name: column, path: [] };
  if (!planField(at, field).column.isMoment)
    return valueListConditions(column, parseValueList(text));
  if (text.trim() === "") return [];
  const { operator, expression } = momentTest(text);
  const moment = evaluateDateMath(expression, now());
  if (!moment) {
    throw new ApiError(400, "PGRST100", `"failed to parse filter (${text})" (line 1, column 1)`, {
      details: `${column}.filter takes a date expression such as >now-2d, or a date.`,
    });
  }
  return [
    {
      kind: "condition",
      field,
      negated: false,
      test: { kind: "compare", operator, value: moment.toISOString() },
    },
  ];
}
