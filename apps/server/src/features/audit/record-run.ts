import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { storableText } from "#platform/db/storable-text.ts";

/** Something that somebody had run: what it was is told by its digest, as the text itself may hold secrets. */
export interface RecordedRun {
  /** `dry_run`: of a text that is not stored; `run`: of what is; `abort`: of a run that was going on. */
  verb: "dry_run" | "run" | "abort";
  /** Where what was run lies, or would. */
  table: string;
  /** The row, or the name of what has none. */
  row: string;
  /** What there is to say beside; no part of the text. */
  about: Readonly<Record<string, string | number | boolean | undefined>>;
}

/**
 * Writes down that somebody has something run, before it starts: what takes the server down is on record all the same.
 * Unlike changes, this is written for those who have not signed in as well. The program's own runs are not.
 */
export async function recordRun(ctx: Ctx, { verb, table, row, about }: RecordedRun): Promise<void> {
  const { actor, origin } = ctx;
  if (actor.kind === "system") return;
  const who =
    actor.kind === "person"
      ? { id: actor.id, name: actor.name, token: actor.token?.name ?? null }
      : { id: null, name: "Anonymous", token: null };
  const told = Object.entries(about).map(([key, value]) => [
    key,
    typeof value === "string" ? storableText(value) : value,
  ]);
  await ctx.db.run(sql`
    insert into audit_log (actor_id, actor_name, token_name, address, request_id, verb, table_name, row_id, after)
    values (${who.id}, ${who.name}, ${who.token}, ${origin?.address ?? null}, ${origin?.requestId ?? null},
            ${verb}, ${table}, ${storableText(row)}, ${JSON.stringify(Object.fromEntries(told))}::jsonb)`);
}
