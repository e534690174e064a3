import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { unavailable } from "#platform/errors.ts";
import type { LocalSession } from "#platform/feature.ts";
import { createSession, revokeSession } from "./sessions.ts";

/** Prolonged while the server runs; what a killed server leaves behind is void after this long. */
const LIFESPAN_MS = 10 * 60 * 1000;
const PROLONG_EVERY_MS = 3 * 60 * 1000;

/** A session of an administrator for the command line on the same machine, valid while this server runs. */
export async function createLocalSession(ctx: Ctx): Promise<LocalSession> {
  const administrator = await ctx.db.first<{ id: string }>(sql`
    select i.id
      from identities i
      join people p on p.id = i.id and p.deleted_at is null
      join casbin_rule r on r.ptype = 'g' and r.v0 = i.id::text and r.v1 = 'admin'
     where i.state = 'active'
     order by i.created_at, i.id limit 1`);
  if (!administrator)
    throw unavailable(
      "There is no active administrator on whose behalf the command line could act.",
    );
  const now = ctx.clock.now();
  const { id, token } = await createSession(ctx.db, {
    identityId: administrator.id,
    // Whoever has this machine has no need of a second factor.
    method: [{ method: "local", aal: "aal2", completed_at: now.toISOString() }],
    device: { user_agent: "command line" },
    now,
    lifespanMs: LIFESPAN_MS,
  });
  const prolong = async () => {
    const at = ctx.clock.now();
    const until = new Date(at.getTime() + LIFESPAN_MS);
    await ctx.db.run(sql`
      update identity_sessions set expires_at = ${until}, last_seen_at = ${at} where id = ${id} and active`);
  };
  const timer = setInterval(() => {
    prolong().catch((error: unknown) =>
      ctx.log.warn({ err: error }, "the local session could not be prolonged; trying again"),
    );
  }, PROLONG_EVERY_MS).unref();
  return {
    token,
    async revoke() {
      clearInterval(timer);
      await revokeSession(ctx, token);
    },
  };
}
