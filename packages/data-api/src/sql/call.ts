import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { CallPlan } from "../plan/plan.ts";
import { name, relation } from "./names.ts";
import { madeOf } from "./bounds.ts";
import {
  answerSql,
  bodySql,
  countSql,
  cutLimit,
  pageSql,
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
  const made = options.bounds && madeOf(undefined, options.bounds);
  const { returnsSet, returnsVoid, volatile } = plan.overload;
  // Counting reads the result once more, which must not call again what changes something.
  const isOnce = returnsSet && volatile && (options.count !== undefined || options.tellsCut);
  const first = isOnce ? sql`with called as materialized (select * from ${call} as value) ` : empty;
  const from = isOnce ? raw("called") : call;
  if (plan.read) {
    const read = { ...plan.read, paging: plan.paging };
    const kind = returnsSet ? options.shape.kind : onlyOne(options.shape.kind);
    const shape = { ...options.shape, kind };
    return sql`${first}${readSql(read, { ...options, shape, from, skipTotal: !returnsSet })}`;
  }
  if (!returnsSet) {
    const value = returnsVoid ? raw("''") : raw("coalesce(to_json(value)::text, 'null')");
    const total = options.count === undefined ? raw("null") : raw("1");
    if (options.shape.kind === "raw") return answerSql(rawSql(call, options), options);
    const one =
      options.shape.kind === "csv"
        ? sql`select ${bodySql(options.shape, [scalarKey])} as body, 1 as rows, ${total} as total from ${pageSql(sql`select value as ${name(scalarKey)} from ${call} as value`, options.shape, made)}`
        : sql`select ${value} as body, 1 as rows, ${total} as total from ${call} as value`;
    return answerSql(one, options);
  }
  const { limit, isCut } = cutLimit(plan.paging, options.maxRows);
  const page = sql`select value as ${name(scalarKey)} from ${from} as ${isOnce ? raw("called") : raw("value")}${pagingSql({ ...plan.paging, limit })}`;
  const total = totalSql(sql`select 1 from ${from}`, isCut, options);
  // Single values stand in a list as themselves.
  const list =
    options.shape.kind === "array"
      ? sql`select coalesce(json_agg(page.${name(scalarKey)}), '[]')::text as body, count(*) as rows, ${total} as total from (${page}) page`
      : sql`select ${bodySql(options.shape, [scalarKey])} as body, count(*) as rows, ${total} as total from ${pageSql(page, options.shape, made && { ...made, times: limit ?? Number.POSITIVE_INFINITY })}`;
  return sql`${first}${answerSql(list, options)}`;
}

/** The value itself, bytes as base64. */
const rawSql = (call: Sql, { shape }: ReadOptions): Sql =>
  sql`select coalesce(${shape.media?.isBinary ? raw("encode(value::bytea, 'base64')") : raw("value::text")}, '') as body, 1 as rows, null as total from ${call} as value`;

const onlyOne = (kind: ReadOptions["shape"]["kind"]) => (kind === "array" ? "object" : kind);

/** The rows of a call's result, to guess how many there are. */
export function callCountSql(plan: CallPlan, schema: string): Sql {
  const from = calledSql(plan, schema);
  return plan.read ? countSql(plan.read, { schema, from }) : sql`select 1 from ${from}`;
}

function calledSql(plan: CallPlan, schema: string): Sql {
  const args = plan.args.map(({ name: arg, type, value, variadic, isStructure }) => {
    const given = isStructure
      ? sql`(select value from json_to_record(json_build_object('value', ${value}::json)) as given(value ${raw(type)}))`
      : sql`${value}::${raw(type)}`;
    if (arg === "") return given;
    return sql`${variadic ? raw("variadic ") : empty}${name(arg)} := ${given}`;
  });
  const call = sql`${relation(schema, plan.name)}(${args.length === 0 ? empty : join(args)})`;
  // PostgreSQL reads rows of a record only where its columns are said; as a value it has them itself.
  return plan.overload.returns === "record" && !plan.read ? sql`(select ${call} as value)` : call;
}
