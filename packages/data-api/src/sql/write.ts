import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type {
  InsertPlan,
  LimitedPage,
  PlannedField,
  PlannedLogic,
  ReadPlan,
  WritePlan,
} from "../plan/plan.ts";
import type { Column } from "../schema/schema.ts";
import { conditionsSql, fieldSql, whereSql } from "./conditions.ts";
import { column, name, relation } from "./names.ts";
import { madeOf } from "./bounds.ts";
import {
  answerSql,
  madeSql,
  orderTermSql,
  outputKeys,
  pagingSql,
  type ReadOptions,
  rowsSql,
  shownPlan,
} from "./read.ts";

export interface WriteOptions {
  schema: string;
  shape: ReadOptions["shape"];
  maxBytes: number;
  bounds: ReadOptions["bounds"];
  tellsSettings: boolean;
  /** JSON text of an array of objects. */
  payload: string;
  /** All columns of the table, in their order. */
  columns: readonly string[];
  /** All columns of the affected rows are wanted too, as `affected`. */
  affected: boolean;
  /** Settings that triggers find, by name. */
  triggerSettings?: Readonly<Record<string, string>>;
}

/** Set before the first row is written: PostgreSQL asks a condition that names no row once, before it looks for rows. */
const settingsMade = ({ triggerSettings = {} }: WriteOptions): Sql[] =>
  Object.entries(triggerSettings).map(
    ([setting, value]) => sql`(select set_config(${setting}, ${value}, true)) is not null`,
  );

/** Counts the rows that an upsert makes new, which PostgreSQL does not tell otherwise. */
const insertedSetting = "data_api.inserted";

const countInserted = (step: 1 | -1): Sql =>
  sql`set_config(${insertedSetting}, (coalesce(nullif(current_setting(${insertedSetting}, true), ''), '0')::int + ${raw(String(step))})::text, true) <> ''`;

/**
 * The statement of a write: one row of `body` (when `representation` is planned), `bytes`, `rows`, `inserted` (of an
 * upsert), and `affected`.
 */
export function writeSql(
  plan: WritePlan,
  representation: ReadPlan | undefined,
  options: WriteOptions,
): Sql {
  const affected = options.affected
    ? raw(", (select coalesce(json_agg(written.*), '[]')::text from written) as affected")
    : empty;
  const answer = representation
    ? representationSql(representation, options)
    : raw("select '' as body, count(*) as rows, null as total from written");
  const inserted =
    plan.verb === "insert" && plan.conflict
      ? sql`, nullif(current_setting(${insertedSetting}, true), '') as inserted`
      : empty;
  const returned = returnedSql(representation, options);
  return sql`with ${changeSql(plan, options, returned)} select answer.*${inserted}${affected} from (${answerSql(answer, { ...options, plan: representation })}) answer`;
}

function representationSql(plan: ReadPlan, options: WriteOptions): Sql {
  const { schema, shape, bounds } = options;
  const made = bounds && madeOf(plan, bounds);
  const page = rowsSql(writtenPlan(shownPlan(plan, shape), options.columns, schema), {
    schema,
    from: raw("written"),
    made,
  });
  const answer = madeSql(page, shape, {
    keys: outputKeys(plan),
    table: relation(schema, plan.table),
    made: made && { ...made, times: Number.POSITIVE_INFINITY },
  });
  return sql`select ${answer.body} as body, count(*) as rows, null as total from ${answer.from}`;
}

function changeSql(plan: WritePlan, options: WriteOptions, returned: Sql): Sql {
  const { schema, payload } = options;
  const target = relation(schema, plan.table);
  const told = settingsMade(options);
  const nothing = sql`written as (select ${returned} from ${target} as r0 where false)`;
  if (plan.verb === "delete") {
    const { first, using, where } = pickSql(plan.page, plan.where, target, told);
    return sql`${first}written as (delete from ${target} as r0${using ? sql` using ${using}` : empty}${where} returning ${returned})`;
  }
  const names = plan.columns.map((column) => name(column.name));
  if (plan.verb === "insert") {
    if (plan.rows === 0) return nothing;
    if (names.length === 0)
      return sql`written as (insert into ${target} as r0 select from json_array_elements(${payload}::json)${whereSql(told)} returning ${returned})`;
    const wanted = conditionsSql("body", plan.where, noEmbeds);
    const counted = plan.conflict ? [countInserted(1)] : [];
    return sql`written as (insert into ${target} as r0 (${join(names)}) select ${join(bodyValues(plan))} from ${bodyRows(plan, payload)}${whereSql([...told, ...wanted, ...counted])}${conflictSql(plan, payload)} returning ${returned})`;
  }
  if (names.length === 0) return nothing;
  const filled = { ...plan, kept: [] };
  const values = bodyValues(filled);
  const sets = names.map((column, index) => sql`${column} = ${values[index]}`);
  const { first, using, where } = pickSql(plan.page, plan.where, target, told);
  const from = bodyRows(filled, payload, raw(" limit 1"));
  return sql`${first}written as (update ${target} as r0 set ${join(sets)} from ${from}${using ? sql`, ${using}` : empty}${where} returning ${returned})`;
}

/** The rows of a page are picked first, by what orders them. */
function pickSql(
  page: LimitedPage | undefined,
  where: readonly PlannedLogic[],
  target: Sql,
  told: readonly Sql[],
) {
  const wanted = [...told, ...conditionsSql("r0", where, noEmbeds)];
  const conditions = whereSql(wanted);
  if (!page) return { first: empty, using: undefined, where: conditions };
  const order = page.order.map((term) => orderTermSql("r0", term, ""));
  const values = page.order.map(
    ({ field }, at) => sql`${fieldSql("r0", field)} as ${name(`v${at}`)}`,
  );
  const same = page.order.map(({ field }, at) => {
    // An index serves only equality.
    const isSame = raw(
      field.column.nullable || field.path.length > 0 ? "is not distinct from" : "=",
    );
    return sql`${fieldSql("r0", field)} ${isSame} picked.${name(`v${at}`)}`;
  });
  return {
    // Once each, or an update would meet a row twice.
    first: sql`picked as (select distinct * from (select ${join(values)} from ${target} as r0${conditions} order by ${join(order)}${pagingSql(page.paging)}) page), `,
    using: raw("picked"),
    // Rows that are ordered alike but were not meant stay as they are.
    where: whereSql([...wanted, ...same]),
  };
}

function conflictSql(plan: InsertPlan, payload: string): Sql {
  const { conflict, columns, kept } = plan;
  if (!conflict) return empty;
  const on = sql` on conflict (${join(conflict.on.map(name))})`;
  if (!conflict.merge) return sql`${on} do nothing`;
  const keys = columns.filter((column) => conflict.on.includes(column.name));
  const sets = columns.map((column) => {
    const key = name(column.name);
    const given = sql`excluded.${key}`;
    if (!kept.includes(column.name)) return sql`${key} = ${given}`;
    if (keys.length === 0) return sql`${key} = r0.${key}`;
    // What was sent is not there any more, so the row is looked up by what it was told apart by.
    const excluded = join(keys.map((one) => sql`excluded.${name(one.name)}`));
    const sent = join(keys.map((one) => bodyValue(one, plan)));
    return sql`${key} = case when (${excluded}) in (select ${sent} from ${bodyRows(plan, payload)} where ${says(column)}) then ${given} else r0.${key} end`;
  });
  return sql`${on} do update set ${join(sets)} where ${countInserted(-1)}`;
}

const noEmbeds = () => {
  throw new Error("data API: a write has no embeds to ask.");
};

type Filled = Pick<InsertPlan, "columns" | "fillsDefaults" | "kept">;

const definition = ({ name: key, type, fromJson }: Column): Sql =>
  sql`${name(key)} ${raw(fromJson === null ? type : "json")}`;

/**
 * The body as rows: PostgreSQL reads every value by its column's type, `"now()"` as a moment included. Where it counts
 * which keys a row has, the row itself is there as `sent.element`.
 */
function bodyRows({ columns, fillsDefaults, kept }: Filled, payload: string, limit = empty): Sql {
  const definitions = join(columns.map(definition));
  return fillsDefaults || kept.length > 0
    ? sql`(select value as element from jsonb_array_elements(${payload}::jsonb)${limit}) as sent cross join lateral jsonb_to_record(sent.element) as body(${definitions})`
    : sql`(select * from json_to_recordset(${payload}::json) as body(${definitions})${limit}) as body`;
}

const says = ({ name: key }: Column): Sql => sql`sent.element ? ${key}`;

/** What a row of the body gives a column; defaults are PostgreSQL's own text. */
function bodyValue(column: Column, { fillsDefaults, kept }: Filled): Sql {
  const given = sql`body.${name(column.name)}`;
  const value = column.fromJson === null ? given : sql`${raw(column.fromJson)}(${given})`;
  const mayLack = fillsDefaults || kept.includes(column.name);
  if (!mayLack || column.default === null) return value;
  return sql`case when ${says(column)} then ${value} else ${raw(`(${column.default})`)} end`;
}

const bodyValues = (filled: Filled): Sql[] =>
  filled.columns.map((column) => bodyValue(column, filled));

/**
 * The columns of the written rows that the answer needs, and no others: whoever may write need not be allowed to read.
 */
function returnedSql(plan: ReadPlan | undefined, { affected }: WriteOptions): Sql {
  const computed = plan ? computedColumns(plan) : [];
  const extra = computed.map(
    ({ name: key, computedBy }) =>
      sql`${relation(computedBy.schema, computedBy.name)}(r0) as ${name(key)}`,
  );
  const needed = affected ? undefined : plan ? neededColumns(plan) : new Set<string>();
  if (!needed) return join([raw("r0.*"), ...extra], ", ");
  const plain = [...needed].map((key) => column("r0", key));
  const all = [...plain, ...extra];
  return all.length === 0 ? raw("1 as one") : join(all, ", ");
}

const rootFields = (plan: ReadPlan): PlannedField[] => [
  ...plan.output.flatMap(({ field }) => (field && "column" in field ? [field] : [])),
  ...plan.order.flatMap(({ field, embed }) => (embed ? [] : [field])),
];

const computedColumns = (plan: ReadPlan) =>
  rootFields(plan).flatMap(({ column: { name: key, computedBy } }) =>
    computedBy ? [{ name: key, computedBy }] : [],
  );

/** Undefined when only whole rows will do. */
function neededColumns(plan: ReadPlan): Set<string> | undefined {
  if (plan.embeds.some(({ computedBy }) => computedBy)) return undefined;
  if (plan.where.some(({ kind }) => kind === "rule" || kind === "test")) return undefined;
  const fields = rootFields(plan).filter(({ column: of }) => !of.computedBy);
  return new Set([
    ...fields.map(({ column: of }) => of.name),
    ...plan.embeds.flatMap(({ pairs, junction }) => [
      ...pairs.map(([near]) => near),
      ...(junction?.near ?? []).map(([, far]) => far),
    ]),
  ]);
}

/** The same plan over the written rows, where what functions made of a row is there already. */
function writtenPlan(plan: ReadPlan, columns: readonly string[], schema: string): ReadPlan {
  const plain = <Field extends PlannedField>(field: Field): Field => ({
    ...field,
    column: { ...field.column, computedBy: undefined },
  });
  const row = sql`row(${join(columns.map((key) => column(plan.alias, key)))})::${relation(schema, plan.table)}`;
  return {
    ...plan,
    output: plan.output.map((one) =>
      one.field && "column" in one.field ? { ...one, field: plain(one.field) } : one,
    ),
    order: plan.order.map((term) => (term.embed ? term : { ...term, field: plain(term.field) })),
    embeds: plan.embeds.map((embed) => (embed.computedBy ? { ...embed, parentRow: row } : embed)),
  };
}
