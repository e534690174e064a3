import { ApiError, forbidden, noSuchColumn, notEmbedded, unsupported } from "../errors.ts";
import { evaluateDateMath } from "../parse/date-math.ts";
import { type Field, outputName } from "../parse/field.ts";
import type { Logic } from "../parse/filters.ts";
import type { OrderTerm } from "../parse/order.ts";
import type { At, Query } from "../parse/query.ts";
import type { SelectEmbed, SelectItem } from "../parse/select.ts";
import { momentTest, parseValueList, valueListConditions } from "../parse/value-list.ts";
import type { Column, Schema, Table } from "../schema/schema.ts";
import { nearestColumn } from "../nearest.ts";
import { column } from "../sql/names.ts";
import { knownType } from "./cast-type.ts";
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
  /** Whether sums and the like may be asked for. */
  aggregates: boolean;
  /** Types may be any of the database's, because its roles decide what may be done. */
  anyType: boolean;
  /** What row rules receive. */
  asker: unknown;
}

/** What rows are read from: a declared table, or the result of a function. */
export interface Source<Context> {
  name: string;
  columns: ReadonlyMap<string, Column>;
  table?: Table<Context>;
}

interface Draft {
  plan: ReadPlan;
  /** What error texts call its rows. */
  said: string;
  /** Names that are like a wrong one may be proposed. */
  proposes: boolean;
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

function rowRule<Context>(
  { asker }: PlanScope<Context>,
  table: Table<Context> | undefined,
  alias: string,
): PlannedLogic[] {
  const condition = table?.declaration.rowRule?.((name) => column(alias, name), asker);
  return condition ? [{ kind: "rule", condition }] : [];
}

const emptyDraft = <Context>(
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
  depth = 0,
): Draft {
  const made = emptyDraft(scope, source, aliases, saidAs(scope, source, depth));
  made.plan.where.push(...rowRule(scope, source.table, made.plan.alias));
  const output = new Map<string, PlannedOutput>();
  for (const item of items) {
    if (item.kind === "all") {
      for (const column of source.columns.values()) {
        if (!column.computedBy)
          output.set(column.name, { name: column.name, field: { column, path: [] } });
      }
    } else if (item.kind === "field") {
      const one = planOutput(scope, made, item);
      output.set(one.name, one);
    } else {
      for (const one of addEmbed(scope, source, made, item, { aliases, depth: depth + 1 }))
        output.set(one.name, one);
    }
  }
  // An embed takes the place of a column of the same name: `select=*,created_by(name)`.
  for (const embed of made.plan.embeds) if (embed.shown && !embed.spread) output.delete(embed.name);
  made.plan.output = [...output.values()];
  return made;
}

/** PostgREST's name for the rows of an embed, which its errors show. */
const saidAs = <Context>(
  { anyType }: PlanScope<Context>,
  { name }: Source<Context>,
  depth: number,
): string => (anyType && depth > 0 ? `${name}_${depth}` : name);

function planOutput<Context>(
  scope: PlanScope<Context>,
  at: Draft,
  { field, alias, cast, aggregate }: Extract<SelectItem, { kind: "field" }>,
): PlannedOutput {
  if (aggregate && !scope.aggregates) {
    throw new ApiError(400, "PGRST123", "Use of aggregate functions is not allowed");
  }
  const planned = field && planField(at, field, aggregate ? "use" : "show");
  if (planned?.column.secret && (planned.path.length > 0 || cast !== undefined))
    throw noSuchColumn(at.plan.table, planned.column.name);
  return {
    name: alias ?? aggregate?.name ?? (field ? outputName(field) : ""),
    field: planned,
    cast: cast && knownType(scope, cast),
    aggregate: aggregate && {
      name: aggregate.name,
      cast: aggregate.cast && knownType(scope, aggregate.cast),
    },
  };
}

/** Adds an embed, and returns what it spreads into its parent. */
function addEmbed<Context>(
  scope: PlanScope<Context>,
  source: Source<Context>,
  parent: Draft,
  item: SelectEmbed,
  { aliases, depth }: { aliases: { next: number }; depth: number },
): PlannedOutput[] {
  const { schema, can } = scope;
  const relationship = chooseRelationship(
    source.name,
    item.target,
    item.hint,
    source.table?.relationships ?? [],
    schema,
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
  const alias = `e${aliases.next}`;
  const child = draft(
    scope,
    { name: target.name, columns: target.columns, table: target },
    item.items,
    aliases,
    depth,
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
    computedBy: relationship.computedBy,
    junction: relationship.junction && {
      ...relationship.junction,
      where: rowRule(scope, junction, `${alias}j`),
    },
    read: child.plan,
  };
  // The same embed twice is one key of the answer; the later one counts, as for columns.
  parent.plan.embeds = [
    ...parent.plan.embeds.filter((other) => other.name !== name || other.spread),
    embed,
  ];
  parent.embeds.set(name, { target: item.target, draft: child, embed });
  return item.spread ? spreadOutput(embed) : [];
}

/** The columns that a spread embed gives its parent. Aggregates are made there, over the groups of the parent. */
function spreadOutput(embed: PlannedEmbed): PlannedOutput[] {
  const { read, many } = embed;
  if (many && read.output.some(({ aggregate }) => aggregate)) {
    throw new ApiError(400, "PGRST127", "Feature not implemented", {
      details: "Aggregates are not implemented for one-to-many or many-to-many spreads.",
    });
  }
  const spread: PlannedOutput[] = [];
  const inner: PlannedOutput[] = [];
  for (const [index, one] of read.output.entries()) {
    const key = one.aggregate ? `spread ${index}` : one.name;
    if (one.field) inner.push({ name: key, field: one.field, cast: one.cast });
    spread.push({
      name: one.name,
      field: one.field && { embed, key },
      aggregate: one.aggregate,
    });
  }
  read.output = inner;
  for (const child of read.embeds)
    if (child.shown && !child.spread)
      spread.push({ name: child.name, field: { embed, key: child.name } });
  return spread;
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

/** A secret column can be shown, which tells whether it is set, and used for nothing else. */
function planField(at: Draft, field: Field, purpose: "show" | "use" = "use"): PlannedField {
  const column = at.columns.get(field.name);
  if (!column || (column.secret && purpose === "use")) {
    const near = at.proposes ? nearestColumn(field.name, at.columns.keys()) : undefined;
    throw noSuchColumn(at.said, field.name, near);
  }
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
  // The name that PostgREST gives the joined row.
  const said = child.proposes ? `${at.plan.table}_${child.said}` : child.said;
  return { ...term, embed, field: planField({ ...child, said }, term.field) };
}

function planLogic(at: Draft, logic: Logic): PlannedLogic {
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
