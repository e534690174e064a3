import { createHash, randomBytes, randomUUID } from "node:crypto";
import { effectiveRoles, type Role } from "@mainstay/contract";
import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { Queryable } from "#platform/db/database.ts";
import { defineService, type ServiceParts } from "#platform/service.ts";
import { secondFactorTypes } from "../credentials.ts";
import type { AssuranceLevel } from "../flows/flow.ts";
import type { Traits } from "../traits.ts";

export const SESSION_COOKIE = "ory_kratos_session";
const SESSION_LIFESPAN_MS = 24 * 60 * 60 * 1000;
/** How long a validated session is believed without asking again: what another server revokes lives on this long. */
const CACHE_MS = 5_000;
/** `last_seen_at` is written at most this often. */
const SEEN_EVERY_MS = 60_000;

export interface Device {
  id: string;
  ip_address?: string;
  user_agent?: string;
  location?: string;
}

export interface AuthenticationMethod {
  method: string;
  aal: AssuranceLevel;
  completed_at: string;
  provider?: string;
}

export interface Session {
  id: string;
  identity_id: string;
  aal: AssuranceLevel;
  /** The level that the person could reach: the second when they have a second factor. */
  available_aal: AssuranceLevel;
  authentication_methods: AuthenticationMethod[];
  devices: Device[];
  authenticated_at: Date;
  issued_at: Date;
  expires_at: Date;
  last_seen_at: Date;
  identity: {
    id: string;
    schema_id: string;
    traits: Traits;
    state: "active" | "inactive";
    state_changed_at: string;
    metadata_public: unknown;
    created_at: string;
    updated_at: string;
  };
  /** The e-mail address, and whether it is verified. */
  address: {
    id: string;
    value: string;
    via: "email";
    status: "pending" | "sent" | "completed";
    verified: boolean;
    verified_at: string | null;
    created_at: string;
    updated_at: string;
  } | null;
  person: { id: string; name: string; email: string | null };
  roles: Role[];
}

const tokenShape = /^[\w-]{43}$/;
export const hashToken = (token: string): string =>
  createHash("sha256").update(token).digest("hex");

interface Sessions {
  /** The valid session of a token: not expired, not idle for too long, not revoked, of an active identity whose person was not deleted. */
  find(token: string): Promise<Session | undefined>;
  /** Asks the database again at the next request, whoever asks. */
  forget(): void;
}

const sessions = defineService("sessions", createSessions);

/** The sessions of one process: those that were validated lately are believed. */
export function createSessions({
  db,
  clock,
  config,
}: Pick<ServiceParts, "db" | "clock" | "config">): Sessions {
  const validated = new LRUCache<string, { session: Session; at: number }>({ max: 10_000 });
  /** Grows with every revocation, so that an answer fetched before it is not kept after it. */
  let generation = 0;
  return {
    async find(token) {
      if (!tokenShape.test(token)) return undefined;
      const hash = hashToken(token);
      const known = validated.get(hash);
      const now = clock.now();
      const age = known ? now.getTime() - known.at : Infinity;
      if (known && age >= 0 && age < CACHE_MS && known.session.expires_at > now)
        return known.session;
      const before = generation;
      const session = await loadSession(db, hash, now, config.sessionIdle);
      if (!session) {
        validated.delete(hash);
        return undefined;
      }
      if (now.getTime() - session.last_seen_at.getTime() >= SEEN_EVERY_MS)
        await db.run(
          sql`update identity_sessions set last_seen_at = ${now} where id = ${session.id}`,
        );
      if (generation === before) validated.set(hash, { session, at: now.getTime() });
      return session;
    },
    forget() {
      generation += 1;
      validated.clear();
    },
  };
}

type Carrier = Pick<Ctx, "service">;

/** Makes this process ask the database again at the next request, whoever asks. Call it after revoking anything. */
export const forgetSessions = (ctx: Carrier): void => ctx.service(sessions).forget();

/** The session of a token that is valid now, or was a few seconds ago. */
export const findSession = (ctx: Carrier, token: string): Promise<Session | undefined> =>
  ctx.service(sessions).find(token);

async function loadSession(
  db: Queryable,
  hash: string,
  now: Date,
  idleMs: number,
): Promise<Session | undefined> {
  const row = await db.first<Omit<Session, "roles"> & { roles: string[] }>(sql`
    select s.id, s.identity_id, s.aal,
           case when exists (select from identity_credentials c
                              where c.identity_id = i.id and c.type = any(${secondFactorTypes}::text[]))
                then 'aal2' else 'aal1' end as available_aal,
           s.authentication_methods, s.devices, s.authenticated_at, s.issued_at,
           s.expires_at, s.last_seen_at,
           (select jsonb_build_object('id', a.id, 'value', a.value, 'via', a.via, 'status', a.status,
                     'verified', a.verified, 'verified_at', a.verified_at, 'created_at', a.created_at,
                     'updated_at', a.updated_at)
              from identity_addresses a where a.identity_id = i.id) as address,
           jsonb_build_object('id', i.id, 'schema_id', i.schema_id, 'traits', i.traits, 'state', i.state,
             'state_changed_at', i.state_changed_at, 'metadata_public', i.metadata_public,
             'created_at', i.created_at, 'updated_at', i.updated_at) as identity,
           jsonb_build_object('id', p.id, 'name', p.name, 'email', p.email) as person,
           array(select v1 from casbin_rule where ptype = 'g' and v0 = p.id::text) as roles
      from identity_sessions s
      join identities i on i.id = s.identity_id and i.state = 'active'
      join people p on p.id = i.id and p.deleted_at is null
     where s.token_hash = ${hash} and s.active and s.expires_at > ${now}
       and s.last_seen_at > ${new Date(now.getTime() - idleMs)}`);
  return row && { ...row, roles: effectiveRoles(row.roles) };
}

interface NewSession {
  identityId: string;
  /** How they proved who they are: the name of one first factor, or all there were. The highest is the session's level. */
  method: string | AuthenticationMethod[];
  device: Omit<Device, "id">;
  now: Date;
  lifespanMs?: number;
}

/** A new session; the token is given out here and nowhere else. */
export async function createSession(
  db: Queryable,
  parts: NewSession,
): Promise<{ id: string; token: string }> {
  const { identityId, method: shown, device, now, lifespanMs = SESSION_LIFESPAN_MS } = parts;
  const token = randomBytes(32).toString("base64url");
  const methods: AuthenticationMethod[] =
    typeof shown === "string"
      ? [{ method: shown, aal: "aal1", completed_at: now.toISOString() }]
      : shown;
  const aal: AssuranceLevel = methods.some((method) => method.aal === "aal2") ? "aal2" : "aal1";
  const devices = [{ id: randomUUID(), ...device }];
  const row = await db.first<{ id: string }>(sql`
    insert into identity_sessions
      (identity_id, token_hash, aal, authentication_methods, devices, authenticated_at, issued_at, last_seen_at, expires_at)
    values (${identityId}, ${hashToken(token)}, ${aal}, ${JSON.stringify(methods)}::jsonb, ${JSON.stringify(devices)}::jsonb,
            ${now}, ${now}, ${now}, ${new Date(now.getTime() + lifespanMs)})
    returning id`);
  return { id: row!.id, token };
}

/** Ends a session by its token; false when there never was one. */
export async function revokeSession(ctx: Ctx, token: string): Promise<boolean> {
  if (!tokenShape.test(token)) return false;
  const revoked = await ctx.db.run(
    sql`update identity_sessions set active = false where token_hash = ${hashToken(token)}`,
  );
  if (revoked > 0) forgetSessions(ctx);
  return revoked > 0;
}

/**
 * Ends sessions of a person: all, or all but one. That of the command line on the server's own machine stays, as it is
 * nobody's device. Call `forgetSessions` once it is committed.
 */
export async function revokeSessionsOf(
  tx: Queryable,
  identityId: string,
  options: { except?: string; only?: string } = {},
): Promise<number> {
  return await tx.run(sql`
    update identity_sessions set active = false
     where identity_id = ${identityId} and active
       and id is distinct from ${options.except ?? null}::uuid
       and not authentication_methods @> '[{"method": "local"}]'
       and (${options.only ?? null}::uuid is null or id = ${options.only ?? null}::uuid)`);
}

/** Whether the person has a second factor that this session was not shown. */
export const lacksSecondFactor = (session: Session): boolean => session.aal < session.available_aal;

export interface Credential {
  token: string;
  /** A cookie is sent by the browser whoever made it send; a header is not. */
  from: "cookie" | "header";
}

/** The session token of a request: the header made for it, a bearer token, or the cookie, in this order. */
export function readCredential(request: FastifyRequest): Credential | undefined {
  const header = request.headers["x-session-token"];
  if (typeof header === "string" && header !== "") return { token: header, from: "header" };
  const bearer = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (bearer) return { token: bearer, from: "header" };
  const cookie = request.cookies[SESSION_COOKIE];
  return cookie ? { token: cookie, from: "cookie" } : undefined;
}

export async function sessionOf(
  ctx: Carrier,
  request: FastifyRequest,
): Promise<(Session & Credential) | undefined> {
  const credential = readCredential(request);
  const session = credential && (await findSession(ctx, credential.token));
  return session && { ...session, ...credential };
}

export const cookieOptions = (secure: boolean) => ({
  path: "/",
  httpOnly: true,
  sameSite: "lax" as const,
  secure,
});
