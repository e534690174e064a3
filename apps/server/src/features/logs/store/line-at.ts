import type { LogLine } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { readPosition, timeOf } from "./line-position.ts";
import { columns, lineOf, type Row } from "./read-lines.ts";

/** One line by its id; nothing where it is gone. @throws invalid for what is no id */
export async function lineAt(ctx: Pick<Ctx, "db">, id: string): Promise<LogLine | undefined> {
  const { micros, nanos, id: number } = readPosition(id);
  const row = await ctx.db.first<Row>(sql`
    select ${columns} from log_lines
     where time = ${timeOf(micros)}::timestamptz and nanos = ${nanos}::int2 and id = ${number}::int8`);
  return row && lineOf(row);
}
