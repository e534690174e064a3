import type { LookUp } from "../declare.ts";
import { ApiError, forbidden, noSuchColumn } from "../errors.ts";
import { outputName } from "../parse/field.ts";
import type { Query } from "../parse/query.ts";
import type { SelectEmbed, SelectItem } from "../parse/select.ts";
import { knownType } from "./cast-type.ts";
import {
  checkPath,
  type Draft,
  emptyDraft,
  find,
  isWholeTable,
  planField,
  planLogic,
  planOrder,
  rowRule,
  valueListLogic,
} from "./draft.ts";
import type { PlannedEmbed, PlannedOutput, ReadPlan } from "./plan.ts";
import { chooseRelationship, embedsMany } from "./relationship.ts";
import type { PlanScope, Source } from "./scope.ts";

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
  const search = source.table?.declaration.search;
  if (query.search !== undefined && search) {
    if (!scope.can(search.read, "read")) throw forbidden("read", search.read);
    const lookUps: LookUp[] = [];
    const condition = search.condition({
      text: query.search,
      alias: root.plan.alias,
      now: scope.now(),
      lookUps,
    });
    root.plan.lookUps = lookUps;
    // What it rests on besides the table may hold rows that may not be seen.
    root.plan.isWhole = false;
    if (condition) root.plan.where.push({ kind: "rule", condition });
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
    {
      name: target.name,
      columns: target.columns,
      table: target,
      isCalled: relationship.computedBy !== undefined,
    },
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
      isWhole: isWholeTable(junction),
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
