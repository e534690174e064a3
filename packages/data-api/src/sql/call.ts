import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { CallPlan } from "../plan/plan.ts";
import { name, relation } from "./names.ts";
import { madeOf } from "./bounds.ts";
import {
  answerSql,
  countSql,
  cutLimit,
  madeSql,
  mediaSql,
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
  const { shape } = options;
  if (!returnsSet) {
    const total = options.count === undefined ? raw("null") : raw("1");
    const one = (body: Sql) =>
      answerSql(
        sql`select ${body} as body, 1 as rows, ${total} as total from ${call} as value`,
        options,
      );
    if (shape.media && !shape.media.by) return one(mediaSql(shape.media, raw("value")));
    if (shape.kind === "array" || shape.kind === "object")
      return one(returnsVoid ? raw("''") : raw("coalesce(to_json(value)::text, 'null')"));
  }
  const { limit, isCut } = cutLimit(plan.paging, options.maxRows);
  const paging = returnsSet ? pagingSql({ ...plan.paging, limit }) : empty;
  const page = sql`select value as ${name(scalarKey)} from ${from} as ${isOnce ? raw("called") : raw("value")}${paging}`;
  const total = returnsSet
    ? totalSql(sql`select 1 from ${from}`, isCut, options)
    : raw(options.count === undefined ? "null" : "1");
  // Single values stand in a list, and before what makes a media type of them, as themselves.
  const single = sql`page.${name(scalarKey)}`;
  const by = shape.media?.by;
  const answer =
    shape.kind === "array"
      ? { body: sql`coalesce(json_agg(${single}), '[]')::text`, from: sql`(${page}) page` }
      : shape.media && by
        ? {
            body: mediaSql(shape.media, sql`${relation(by.schema, by.name)}(${single})`),
            from: sql`(${page}) page`,
          }
        : madeSql(page, shape, {
            keys: [scalarKey],
            made: made && { ...made, times: limit ?? Number.POSITIVE_INFINITY },
          });
  const list = sql`select ${answer.body} as body, count(*) as rows, ${total} as total from ${answer.from}`;
  return sql`${first}${answerSql(list, options)}`;
}

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
