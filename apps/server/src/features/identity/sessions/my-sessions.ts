import sql from "sql-template-tag";
import type { FastifyReply } from "fastify";
import type { Exchange } from "../flows/exchange.ts";
import { isUuid } from "../flows/flow.ts";
import { malformed, notLocated } from "../flows/self-service-error.ts";
import { baseUrl } from "./request-origin.ts";
import { type IdentityBody, toIdentityBody } from "./session-body.ts";
import type { AuthenticationMethod, Device } from "./sessions.ts";
import { forgetSessions, revokeSessionsOf } from "./sessions.ts";
import { requireOwnSession, requireSession } from "../flows/signed-in.ts";

const DEFAULT_PAGE_SIZE = 250;
const MAX_PAGE_SIZE = 500;

interface SessionRow {
  id: string;
  active: true;
  expires_at: Date;
  authenticated_at: Date;
  authenticator_assurance_level: string;
  authentication_methods: AuthenticationMethod[];
  issued_at: Date;
  identity: IdentityBody;
  devices: Device[];
  /** Not of the wire format: when the session was last used. */
  last_seen_at: Date;
}

/** The other sessions of who asks, newest first; not the command line's, which is no device of theirs to sign out. */
export async function listMySessions(exchange: Exchange): Promise<SessionRow[]> {
  const { ctx, config, query, reply, request } = exchange;
  const session = await requireSession(exchange);
  const size = readNumber(query.page_size ?? query.per_page, "page_size", DEFAULT_PAGE_SIZE);
  const page = readNumber(query.page, "page", 1);
  const limit = Math.min(size, MAX_PAGE_SIZE);
  const now = ctx.clock.now();
  const rows = await ctx.db.rows<Omit<SessionRow, "identity"> & { total: number }>(sql`
    select id, active, expires_at, authenticated_at, aal as authenticator_assurance_level, authentication_methods,
           issued_at, devices, last_seen_at, count(*) over () as total
      from identity_sessions
     where identity_id = ${session.identity_id} and id <> ${session.id} and active and expires_at > ${now}
       and last_seen_at > ${new Date(now.getTime() - config.sessionIdle)}
       and not authentication_methods @> '[{"method": "local"}]'
     order by issued_at desc, id
     limit ${limit} offset ${(page - 1) * limit}`);
  reply.header("x-total-count", String(rows[0]?.total ?? 0));
  // They are all of who asks.
  const identity = toIdentityBody(session, baseUrl(request, config));
  return rows.map(({ total: _total, ...row }) => ({ ...row, identity }));
}

/** Signs out one other device. */
export async function revokeMySession(
  exchange: Exchange & { params: Record<string, string> },
): Promise<FastifyReply> {
  const { ctx, params, reply } = exchange;
  const session = await requireOwnSession(exchange);
  if (!isUuid(params.id)) throw notLocated("session");
  if (params.id === session.id) throw malformed("This is the session that asks. Sign out instead.");
  // Gone already, or somebody else's: either way it is none of theirs, and which of the two is not told.
  const revoked = await revokeSessionsOf(ctx.db, session.identity_id, { only: params.id });
  if (revoked > 0) forgetSessions(ctx);
  return reply.status(204).send();
}

/** Signs out every other device. */
export async function revokeMyOtherSessions(exchange: Exchange): Promise<{ count: number }> {
  const { ctx } = exchange;
  const session = await requireOwnSession(exchange);
  const count = await revokeSessionsOf(ctx.db, session.identity_id, { except: session.id });
  forgetSessions(ctx);
  return { count };
}

function readNumber(value: unknown, name: string, fallback: number): number {
  if (value === undefined || value === "") return fallback;
  if (typeof value === "string" && /^\d{1,6}$/.test(value) && Number(value) > 0)
    return Number(value);
  throw malformed(`${name} must be a whole number above zero.`);
}
