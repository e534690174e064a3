import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { CallPlan } from "../plan/plan.ts";
import { name, relation } from "./names.ts";
import { answerSql, cutLimit, pagingSql, type ReadOptions, readSql, totalSql } from "./read.ts";

/** The statement of a call: one row of `body`, `bytes`, `rows` and `total`. */
export function callSql(plan: CallPlan, options: ReadOptions): Sql {
  const args = plan.args.map(
    ({ name: arg, type, value }) => sql`${name(arg)} := ${value}::${raw(type)}`,
  );
  const call = sql`${relation(options.schema, plan.name)}(${args.length === 0 ? empty : join(args)})`;
  const { returnsSet } = plan.overload;
  if (plan.read) {
    const read = { ...plan.read, paging: plan.paging };
    return readSql(read, {
      ...options,
      single: options.single || !returnsSet,
      from: call,
      skipTotal: !returnsSet,
    });
  }
  if (!returnsSet) {
    const one = sql`select coalesce(to_json(value)::text, 'null') as body, 1 as rows, null as total from ${call} as value`;
    return answerSql(one, options.maxBytes);
  }
  const { limit, isCut } = cutLimit(plan.paging, options.maxRows);
  const page = sql`select value from ${call} as value${pagingSql({ ...plan.paging, limit })}`;
  const total = totalSql(sql`select count(*) from ${call}`, isCut, options);
  const list = sql`select coalesce(json_agg(value), '[]')::text as body, count(*) as rows, ${total} as total from (${page}) page`;
  return answerSql(list, options.maxBytes);
}
