import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { CallPlan } from "../plan/plan.ts";
import { name, relation } from "./names.ts";
import {
  answerSql,
  bodySql,
  countSql,
  cutLimit,
  pagingSql,
  type ReadOptions,
  readSql,
  totalSql,
} from "./read.ts";

/** The key of a single value where one is needed, as PostgREST calls it. */
const scalarKey = "pgrst_scalar";

/** The statement of a call: one row of `body`, `bytes`, `rows` and `total`. */
export function callSql(plan: CallPlan, options: ReadOptions): Sql {
  const call = calledSql(plan, options.schema);
  const { returnsSet, returnsVoid } = plan.overload;
  if (plan.read) {
    const read = { ...plan.read, paging: plan.paging };
    const kind = returnsSet ? options.shape.kind : onlyOne(options.shape.kind);
    return readSql(read, {
      ...options,
      shape: { ...options.shape, kind },
      from: call,
      skipTotal: !returnsSet,
    });
  }
  if (!returnsSet) {
    const value = returnsVoid ? raw("''") : raw("coalesce(to_json(value)::text, 'null')");
    const csv = sql`${`${scalarKey}\n`}::text || coalesce(value::text, '')`;
    const body = options.shape.kind === "csv" ? csv : value;
    const one = sql`select ${body} as body, 1 as rows, null as total from ${call} as value`;
    return answerSql(one, options.maxBytes);
  }
  const { limit, isCut } = cutLimit(plan.paging, options.maxRows);
  const page = sql`select value as ${name(scalarKey)} from ${call} as value${pagingSql({ ...plan.paging, limit })}`;
  const total = totalSql(sql`select 1 from ${call}`, isCut, options);
  // Single values stand in a list as themselves.
  const body =
    options.shape.kind === "array"
      ? sql`coalesce(json_agg(page.${name(scalarKey)}), '[]')::text`
      : bodySql(options.shape, [scalarKey]);
  const list = sql`select ${body} as body, count(*) as rows, ${total} as total from (${page}) page`;
  return answerSql(list, options.maxBytes);
}

const onlyOne = (kind: ReadOptions["shape"]["kind"]) => (kind === "array" ? "object" : kind);

/** The rows of a call's result, to guess how many there are. */
export function callCountSql(plan: CallPlan, schema: string): Sql {
  const from = calledSql(plan, schema);
  return plan.read ? countSql(plan.read, { schema, from }) : sql`select 1 from ${from}`;
}

function calledSql(plan: CallPlan, schema: string): Sql {
  const args = plan.args.map(({ name: arg, type, value, variadic }) => {
    const given = sql`${value}::${raw(type)}`;
    if (arg === "") return given;
    return sql`${variadic ? raw("variadic ") : empty}${name(arg)} := ${given}`;
  });
  return sql`${relation(schema, plan.name)}(${args.length === 0 ? empty : join(args)})`;
}
