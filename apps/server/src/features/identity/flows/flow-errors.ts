import sql from "sql-template-tag";
import type { Exchange } from "./exchange.ts";
import { isUuid } from "./flow.ts";
import { errorBody, notLocated, type SelfServiceError } from "./self-service-error.ts";

/** Where the console shows what could not be shown in a form. */
const ERROR_PAGE = "/error";

/** Keeps what went wrong on the way to a page, and says where it is shown; not for who fails too often. */
export async function keepError(
  { ctx, limits, request }: Exchange,
  error: SelfServiceError,
): Promise<string | undefined> {
  if (limits.takeFlow(request.ip) > 0) return undefined;
  const row = await ctx.db.first<{ id: string }>(sql`
    insert into identity_errors (error, created_at)
    values (${JSON.stringify(errorBody(error).error)}::jsonb, ${ctx.clock.now()}) returning id`);
  return `${ERROR_PAGE}?id=${row!.id}`;
}

/** An error that was kept. Whoever has its id has been shown it already. */
export async function findError({ ctx, query }: Exchange): Promise<object> {
  const found = isUuid(query.id)
    ? await ctx.db.first<{ id: string; error: object; created_at: Date }>(
        sql`select id, error, created_at from identity_errors where id = ${query.id}`,
      )
    : undefined;
  if (!found) throw notLocated("error");
  return { ...found, updated_at: found.created_at };
}
