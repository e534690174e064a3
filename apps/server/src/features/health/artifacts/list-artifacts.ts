import type { Rows } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";

/** Not there for anybody any more, though its bytes may be for an hour. */
export const isThere = sql`deleted_at is null and (expires_at is null or expires_at > now())`;

/** The files of one run of a check. */
export function listArtifacts(
  ctx: Ctx,
  { checkId, time }: { checkId: string; time: string },
): Promise<Rows["artifacts"][]> {
  ctx.require("canaries", "read");
  return ctx.db.rows(sql`
    select * from artifacts
     where check_id = ${checkId} and check_time = ${time}::timestamptz and ${isThere} order by path, id`);
}
