import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { InsertPlan, ReadPlan, WritePlan } from "../plan/plan.ts";
import type { Column } from "../schema/schema.ts";
import { logicSql, whereSql } from "./conditions.ts";
import { name, relation } from "./names.ts";
import { answerSql, bodySql, rowsSql } from "./read.ts";

export interface WriteOptions {
  schema: string;
  single: boolean;
  maxBytes: number;
  /** JSON text of an array of objects. */
  payload: string;
  /** All columns of the affected rows are wanted too, as `affected`. */
  affected: boolean;
}

/**
 * The statement of a write: one row of `body` (when `representation` is planned), `bytes`, `rows`, and `affected`.
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
    ? sql`select ${bodySql(options.single)} as body, count(*) as rows, null as total from (${rowsSql(representation, { schema: options.schema, from: raw("written") })}) page`
    : raw("select '' as body, count(*) as rows, null as total from written");
  return sql`with written as (${changeSql(plan, options)}) select answer.*${affected} from (${answerSql(answer, options.maxBytes)}) answer`;
}

function changeSql(plan: WritePlan, { schema, payload }: WriteOptions): Sql {
  const target = relation(schema, plan.table);
  if (plan.verb === "delete") {
    return sql`delete from ${target} as r0${conditionsOf(plan.where)} returning r0.*`;
  }
  const names = plan.columns.map((column) => name(column.name));
  if (plan.verb === "insert") {
    if (plan.rows === 0) return sql`select r0.* from ${target} as r0 where false`;
    if (names.length === 0) return sql`insert into ${target} default values returning *`;
    return sql`insert into ${target} (${join(names)}) select ${join(names)} from ${bodyRows(plan.columns, payload)}${conflictSql(plan)} returning *`;
  }
  if (names.length === 0) return sql`select r0.* from ${target} as r0 where false`;
  const sets = names.map((column) => sql`${column} = body.${column}`);
  return sql`update ${target} as r0 set ${join(sets)} from (select * from ${bodyRows(plan.columns, payload)} limit 1) body${conditionsOf(plan.where)} returning r0.*`;
}

function conflictSql({ conflict, columns }: InsertPlan): Sql {
  if (!conflict) return empty;
  const on = sql` on conflict (${join(conflict.on.map(name))})`;
  if (!conflict.merge) return sql`${on} do nothing`;
  const sets = columns.map((column) => sql`${name(column.name)} = excluded.${name(column.name)}`);
  return sql`${on} do update set ${join(sets)}`;
}

const conditionsOf = (where: Extract<WritePlan, { verb: "update" }>["where"]): Sql =>
  whereSql(where.map((logic) => logicSql("r0", logic, noEmbeds)));

const noEmbeds = () => {
  throw new Error("data API: a write has no embeds to ask.");
};

/** The body as rows: PostgreSQL reads every value by its column's type, `"now()"` as a moment included. */
const bodyRows = (columns: readonly Column[], payload: string): Sql =>
  sql`json_to_recordset(${payload}::json) as body(${join(columns.map((column) => sql`${name(column.name)} ${raw(column.type)}`))})`;
