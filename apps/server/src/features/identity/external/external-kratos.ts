import { createHash } from "node:crypto";
import { effectiveRoles, type Role } from "@mainstay/contract";
import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import sql from "sql-template-tag";
import { z } from "zod";
import { grantRole } from "#features/roles/index.ts";
import { normalAddress } from "#platform/address.ts";
import type { Actor, Ctx } from "#platform/context.ts";
import { unavailable } from "#platform/errors.ts";
import { fetchLimited } from "#platform/http/fetch-limited.ts";
import { defineService } from "#platform/service.ts";
import type { Authenticator } from "#platform/http/authenticator.ts";
import { isAddressTaken } from "../change-identity.ts";
import { assertSameSite } from "../sessions/request-origin.ts";
import { SESSION_COOKIE, sessionOf } from "../sessions/sessions.ts";

/** How long a session is believed without asking again, as with the built-in service. */
const CACHE_MS = 5_000;
const MAX_CREDENTIAL_LENGTH = 4096;

const ExternalSession = z.object({
  id: z.string().max(200),
  active: z.boolean().optional(),
  identity: z.object({
    id: z.guid(),
    schema_id: z.string().default("default"),
    state: z.string().default("active"),
    traits: z.looseObject({ email: z.string().max(320).optional() }),
    verifiable_addresses: z
      .array(z.looseObject({ value: z.string(), verified: z.boolean() }))
      .nullish(),
  }),
});
type ExternalIdentity = z.output<typeof ExternalSession>["identity"];

interface Asked {
  actor: Promise<Actor | undefined>;
  at: number;
}

/** What the service said lately, in this process. */
const lately = defineService(
  "answers of the external identity service",
  () => new LRUCache<string, Asked>({ max: 10_000 }),
);

/** Makes this process ask the service again at the next request with the same credential. */
export function forgetExternalSession(ctx: Ctx, request: FastifyRequest): void {
  const credential = readCredential(request);
  if (credential) ctx.service(lately).delete(keyOf(credential));
}

/**
 * Says who asks by a session of the Kratos that stands in for the built-in service. Its identities are kept here too,
 * under the same id, so that people can be looked up, named and given roles.
 */
export function createExternalAuthenticator(ctx: Ctx): Authenticator {
  const { identityUrl } = ctx.config;
  if (identityUrl === undefined) return async () => undefined;
  return async (request) => {
    const credential = readCredential(request);
    if (!credential) return undefined;
    if (credential.from === "cookie") assertSameSite(request, ctx.config);
    // The command line's token is nobody else's business.
    if (await sessionOf(ctx, request)) return undefined;
    return await whoIs(ctx, identityUrl, credential);
  };
}

/** Whose session it is, as the service says or said a few seconds ago. */
export async function whoIs(
  ctx: Ctx,
  identityUrl: string,
  credential: Pick<ExternalCredential, "headers">,
): Promise<Actor | undefined> {
  const cache = ctx.service(lately);
  const key = keyOf(credential);
  const now = ctx.clock.now().getTime();
  const known = cache.get(key);
  const age = known ? now - known.at : Infinity;
  if (known && age >= 0 && age < CACHE_MS) return await known.actor;
  const asked = { actor: askWhoami(ctx, identityUrl, credential.headers), at: now };
  cache.set(key, asked);
  // A failure is no answer to be remembered.
  asked.actor.catch(() => {
    if (cache.get(key) === asked) cache.delete(key);
  });
  return await asked.actor;
}

interface ExternalCredential {
  headers: Record<string, string>;
  from: "cookie" | "header";
}

const keyOf = ({ headers }: Pick<ExternalCredential, "headers">): string =>
  createHash("sha256").update(JSON.stringify(headers)).digest("hex");

/** As it was sent: the service signs its cookies, and reads no other spelling of them. */
const sessionCookie = new RegExp(`(?:^|;)\\s*(${SESSION_COOKIE}=[^;]+)`);

/** A session token of Kratos. What others give out (this server, a provider, a proxy in front) has dots in it, and is none of its business. */
export const sessionBearer = /^bearer +([\w-]+) *$/i;

function readCredential(request: FastifyRequest): ExternalCredential | undefined {
  const token = request.headers["x-session-token"];
  if (typeof token === "string" && token !== "" && token.length <= MAX_CREDENTIAL_LENGTH)
    return { headers: { "x-session-token": token }, from: "header" };
  const bearer = sessionBearer.exec(request.headers.authorization ?? "")?.[1];
  if (bearer !== undefined && bearer.length <= MAX_CREDENTIAL_LENGTH)
    return { headers: { "x-session-token": bearer }, from: "header" };
  const cookie = sessionCookie.exec(request.headers.cookie ?? "")?.[1]?.trim();
  if (cookie === undefined || cookie.length > MAX_CREDENTIAL_LENGTH) return undefined;
  return { headers: { cookie }, from: "cookie" };
}

async function askWhoami(
  ctx: Ctx,
  identityUrl: string,
  headers: Record<string, string>,
): Promise<Actor | undefined> {
  const reply = await fetchLimited(`${identityUrl}/sessions/whoami`, {
    headers: { ...headers, accept: "application/json" },
  }).catch((error: unknown) => {
    throw unavailable("The identity service does not answer. Please try again.", error);
  });
  // No session, or one that lacks a second factor; the service itself tells which.
  if ([401, 403, 422].includes(reply.status)) return undefined;
  const body: unknown = reply.ok ? await reply.json().catch(() => undefined) : undefined;
  const read = ExternalSession.safeParse(body);
  if (!read.success)
    throw unavailable(
      "The identity service gave an answer that is not understood. Please try again.",
      new Error(`whoami answered ${reply.status}`, { cause: read.error }),
    );
  const { id: sessionId, active = true, identity } = read.data;
  if (!active || identity.state !== "active") return undefined;
  const person = await meet(ctx, identity);
  return person && { kind: "person", ...person, sessionId };
}

interface Person {
  id: string;
  name: string;
  email: string | null;
  roles: Role[];
}

/** The person of an identity, made on first sight and renamed when the identity was. */
async function meet(ctx: Ctx, identity: ExternalIdentity): Promise<Person | undefined> {
  const { id, schema_id: schemaId } = identity;
  const traits = { ...identity.traits, email: normalAddress(identity.traits.email ?? "") };
  const text = JSON.stringify(traits);
  const isKnown = await ctx.db.first(
    sql`select from identities where id = ${id} and traits = ${text}::jsonb`,
  );
  if (!isKnown) {
    // Whom an administrator deleted here is not met again, whatever the service says.
    if (await ctx.db.first(sql`select from people where id = ${id} and deleted_at is not null`))
      return undefined;
    await ctx
      .tx(async (tx) => {
        const written = await tx.first<{ is_new: boolean }>(sql`
          insert into identities (id, schema_id, traits) values (${id}, ${schemaId}, ${text}::jsonb)
          on conflict (id) do update set traits = excluded.traits, updated_at = now()
          returning xmax = 0 as is_new`);
        if (written!.is_new && isAdministrator(ctx, identity)) await grantRole(tx, id, "admin");
      })
      .catch((error: unknown) => {
        if (!isAddressTaken(error)) throw error;
        throw unavailable(
          `Another user here has the e-mail address ${traits.email}. An administrator has to change or delete that user first.`,
        );
      });
    ctx.log.info({ identity: id }, "met an identity of the external service");
  }
  const person = await ctx.db.first<Omit<Person, "roles"> & { roles: string[] }>(sql`
    select p.id, p.name, p.email, array(select v1 from casbin_rule where ptype = 'g' and v0 = p.id::text) as roles
      from people p join identities i on i.id = p.id and i.state = 'active'
     where p.id = ${id} and p.deleted_at is null`);
  return person && { ...person, roles: effectiveRoles(person.roles) };
}

/** Nobody can be made administrator by an administrator before there is one: it is who proves to have ADMIN_EMAIL. */
function isAdministrator(
  { config }: Ctx,
  { verifiable_addresses: addresses }: ExternalIdentity,
): boolean {
  return (addresses ?? []).some(
    ({ value, verified }) => verified && normalAddress(value) === config.adminEmail,
  );
}
