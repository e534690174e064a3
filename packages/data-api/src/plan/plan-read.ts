import { ApiError, forbidden, noSuchColumn, notEmbedded, unsupported } from "../errors.ts";
import { evaluateDateMath } from "../parse/date-math.ts";
import { type Field, outputName } from "../parse/field.ts";
import type { Logic } from "../parse/filters.ts";
import type { OrderTerm } from "../parse/order.ts";
import type { At, Query } from "../parse/query.ts";
import type { SelectEmbed, SelectItem } from "../parse/select.ts";
import { momentTest, parseValueList, valueListConditions } from "../parse/value-list.ts";
import type { Column, Schema, Table } from "../schema/schema.ts";
import type {
  PlannedEmbed,
  PlannedField,
  PlannedLogic,
  PlannedOrder,
  PlannedOutput,
  ReadPlan,
} from "./plan.ts";
import { chooseRelationship, embedsMany } from "./relationship.ts";

export type Can = (resource: string, action: "read" | "write") => boolean;

/** What planning needs to know beside the query. */
export interface PlanScope<Context> {
  schema: Schema<Context>;
  can: Can;
  now: () => Date;
}

/** What rows are read from: a declared table, or the result of a function. */
export interface Source<Context> {
  name: string;
  columns: ReadonlyMap<string, Column>;
  table?: Table<Context>;
}

interface Draft {
  plan: ReadPlan;
  columns: ReadonlyMap<string, Column>;
  /** By their key in the answer; `target` is the other word that conditions may use for one. */
  embeds: Map<string, { target: string; draft: Draft; embed: PlannedEmbed }>;
}

/** Plans a read. Refuses what does not exist and what may not be read, wherever in the query it is named. */
export function planRead<Context>(
  scope: PlanScope<Context>,
  source: Source<Context>,
  query: Query,
): ReadPlan {
  const select = query.select ?? [{ kind: "all" }];
  for (const { path } of [...query.where, ...query.order, ...query.paging]) checkPath(select, path);
  const root = draft(scope, source, select, { next: 0 });
  for (const { column, text } of query.valueLists) {
    for (const logic of valueListLogic(root, column, text, scope.now))
      root.plan.where.push(planLogic(root, logic));
  }
  for (const { path, value } of query.where) {
    const at = find(root, path);
    at.plan.where.push(planLogic(at, value));
  }
  for (const { path, value } of query.order) {
    const at = find(root, path);
    at.plan.order = value.map((term) => planOrder(at, term));
  }
  for (const { path, value } of query.paging) find(root, path).plan.paging = value;
  return root.plan;
}

/** Plans the conditions of an update or delete, which are about the table itself. */
export function planConditions<Context>(
  scope: PlanScope<Context>,
  table: Table<Context>,
  where: readonly At<Logic>[],
  valueLists: Query["valueLists"],
): PlannedLogic[] {
  const at = emptyDraft({ name: table.name, columns: table.columns, table }, { next: 0 });
  return [
    ...valueLists.flatMap(({ column, text }) => valueListLogic(at, column, text, scope.now)),
    ...where.filter(({ path }) => path.length === 0).map(({ value }) => value),
  ].map((logic) => planLogic(at, logic));
}

const emptyDraft = <Context>(source: Source<Context>, aliases: { next: number }): Draft => ({
  plan: {
    table: source.name,
    alias: `r${aliases.next++}`,
    output: [],
    embeds: [],
    where: [],
    order: [],
    paging: {},
  },
  columns: source.columns,
  embeds: new Map(),
});

function draft<Context>(
  scope: PlanScope<Context>,
  source: Source<Context>,
  items: readonly SelectItem[],
  aliases: { next: number },
): Draft {
  const made = emptyDraft(source, aliases);
  const output = new Map<string, PlannedOutput>();
  for (const item of items) {
    if (item.kind === "aggregate") {
      throw new ApiError(400, "PGRST123", "Use of aggregate functions is not allowed");
    } else if (item.kind === "all") {
      for (const column of source.columns.values()) {
        output.set(column.name, { name: column.name, field: { column, path: [] } });
      }
    } else if (item.kind === "field") {
      const name = item.alias ?? outputName(item.field);
      output.set(name, {
        name,
        field: planField(made, item.field),
        cast: item.cast && knownType(item.cast),
      });
    } else {
      addEmbed(scope, source, made, item, aliases);
    }
  }
  // An embed takes the place of a column of the same name: `select=*,created_by(name)`.
  for (const embed of made.plan.embeds) if (embed.shown && !embed.spread) output.delete(embed.name);
  made.plan.output = [...output.values()];
  return made;
}

function addEmbed<Context>(
  scope: PlanScope<Context>,
  source: Source<Context>,
  parent: Draft,
  item: SelectEmbed,
  aliases: { next: number },
): void {
  const { schema, can } = scope;
  const relationship = chooseRelationship(
    source.name,
    item.target,
    item.hint,
    source.table?.relationships ?? [],
    schema.name,
  );
  const target = schema.tables.get(relationship.to);
  if (!target)
    throw new Error(
      `data API: a relationship leads to "${relationship.to}", which is not declared.`,
    );
  const junction = relationship.junction && schema.tables.get(relationship.junction.table);
  for (const table of [target, junction]) {
    if (table && !can(table.declaration.read, "read"))
      throw forbidden("read", table.declaration.read);
  }
  const many = embedsMany(relationship);
  if (item.spread && many) {
    throw new ApiError(
      400,
      "PGRST119",
      `A spread operation on '${relationship.to}' is not possible`,
      {
        details: `'${source.name}' and '${relationship.to}' do not form a many-to-one or one-to-one relationship`,
      },
    );
  }
  const alias = `e${aliases.next}`;
  const child = draft(
    scope,
    { name: target.name, columns: target.columns, table: target },
    item.items,
    aliases,
  );
  const name = item.alias ?? item.target;
  const embed: PlannedEmbed = {
    name,
    alias,
    many,
    inner: item.inner,
    spread: item.spread,
    shown:
      item.items.length > 0 &&
      (child.plan.output.length > 0 || child.plan.embeds.some(({ shown }) => shown)),
    unsure: !many && relationship.toIsView,
    pairs: relationship.pairs,
    junction: relationship.junction,
    read: child.plan,
  };
  // The same embed twice is one key of the answer; the later one counts, as for columns.
  parent.plan.embeds = [
    ...parent.plan.embeds.filter((other) => other.name !== name || other.spread),
    embed,
  ];
  parent.embeds.set(name, { target: item.target, draft: child, embed });
}

/** Embeds that conditions name must be in `select`; that comes before whether they exist. */
function checkPath(select: readonly SelectItem[], path: readonly string[]): void {
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

function find(root: Draft, path: readonly string[]): Draft {
  let at = root;
  for (const name of path) {
    at = findEmbed(at, name).draft;
  }
  return at;
}

function planField(at: Draft, field: Field): PlannedField {
  const column = at.columns.get(field.name);
  if (!column) throw noSuchColumn(at.plan.table, field.name);
  return { column, path: field.path };
}

function planOrder(at: Draft, term: OrderTerm): PlannedOrder {
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
  return { ...term, embed, field: planField(child, term.field) };
}

function planLogic(at: Draft, logic: Logic): PlannedLogic {
  if (logic.kind === "group")
    return { ...logic, items: logic.items.map((item) => planLogic(at, item)) };
  const { field, negated, test } = logic;
  if (test.kind === "is" && field.path.length === 0) {
    const embed = at.plan.embeds.find(({ name }) => name === field.name);
    if (embed && test.value === "null")
      return { kind: "embedded", embed, negated, value: test.value };
  }
  return { kind: "test", field: planField(at, field), negated, test };
}

function valueListLogic(at: Draft, column: string, text: string, now: () => Date): Logic[] {
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

/** Types a value may be cast to: plain ones only, since a cast to others can look things up in the catalog. */
// prettier-ignore
const castTypes: ReadonlySet<string> = new Set([
  "text", "varchar", "char", "bpchar", "character varying", "character", "int", "integer", "int2", "int4", "int8",
  "smallint", "bigint", "numeric", "decimal", "real", "float4", "float8", "double precision", "bool", "boolean",
  "date", "time", "timetz", "timestamp", "timestamptz", "interval", "uuid", "json", "jsonb", "bytea", "inet", "cidr",
]);

function knownType(type: string): string {
  if (!castTypes.has(type.toLowerCase()))
    throw new ApiError(400, "42704", `type "${type}" does not exist`);
  return type.toLowerCase();
}

/**
 * Refuses an update or delete that names its rows by what does not choose them, a page or conditions on embeds alone:
 * leaving that out would change every row.
 */
export function refuseUnclearWrite({ select, where, paging, valueLists }: Query): void {
  for (const { path } of where) checkPath(select ?? [], path);
  if (paging.some(({ path }) => path.length === 0)) {
    throw unsupported(
      "limit and offset are not possible on PATCH and DELETE.",
      "Name the rows with filters.",
    );
  }
  const isEmbedsOnly = where.length > 0 && where.every(({ path }) => path.length > 0);
  if (isEmbedsOnly && valueLists.length === 0) {
    throw unsupported(
      "Conditions on embeds do not choose the rows of PATCH and DELETE.",
      "Add filters on the table itself.",
    );
  }
}
