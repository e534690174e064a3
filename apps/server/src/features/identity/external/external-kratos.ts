import { createHash } from "node:crypto";
import { effectiveRoles, type Role } from "@mainstay/contract";
import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import sql from "sql-template-tag";
import { fetch } from "undici";
import { z } from "zod";
import { grantRole } from "#features/roles/index.ts";
import type { Actor, Ctx } from "#platform/context.ts";
import { unavailable } from "#platform/errors.ts";
import type { CredentialReader } from "../sessions/authenticate.ts";
import { isAddressTaken } from "../change-identity.ts";
import { assertSameSite } from "../sessions/request-origin.ts";
import { SESSION_COOKIE, sessionOf } from "../sessions/sessions.ts";

/** How long a session is believed without asking again, as with the built-in service. */
const CACHE_MS = 5_000;
const TIMEOUT_MS = 10_000;
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

/**
 * Says who asks by a session of the Kratos that stands in for the built-in service. Its identities are kept here too,
 * under the same id, so that people can be looked up, named and given roles.
 */
export function createExternalAuthenticator(ctx: Ctx): CredentialReader {
  const { identityUrl } = ctx.config;
  if (identityUrl === undefined) return async () => undefined;
  const known = new LRUCache<string, Promise<Actor | undefined>>({ max: 10_000, ttl: CACHE_MS });
  return async (request) => {
    const credential = readCredential(request);
    if (!credential) return undefined;
    if (credential.from === "cookie") assertSameSite(request, ctx.config);
    // The command line's token is nobody else's business.
    if (await sessionOf(ctx, request)) return undefined;
    const key = createHash("sha256").update(JSON.stringify(credential.headers)).digest("hex");
    let asked = known.get(key);
    if (!asked) {
      asked = askWhoami(ctx, identityUrl, credential.headers);
      known.set(key, asked);
      // A failure is no answer to be remembered.
      asked.catch(() => known.delete(key));
    }
    return await asked;
  };
}

interface ExternalCredential {
  headers: Record<string, string>;
  from: "cookie" | "header";
}

function readCredential(request: FastifyRequest): ExternalCredential | undefined {
  const token = request.headers["x-session-token"];
  if (typeof token === "string" && token !== "" && token.length <= MAX_CREDENTIAL_LENGTH)
    return { headers: { "x-session-token": token }, from: "header" };
  const cookie = request.cookies[SESSION_COOKIE];
  if (cookie === undefined || cookie === "" || cookie.length > MAX_CREDENTIAL_LENGTH)
    return undefined;
  return {
    headers: { cookie: `${SESSION_COOKIE}=${encodeURIComponent(cookie)}` },
    from: "cookie",
  };
}

async function askWhoami(
  ctx: Ctx,
  identityUrl: string,
  headers: Record<string, string>,
): Promise<Actor | undefined> {
  let reply: Awaited<ReturnType<typeof fetch>>;
  let body: unknown;
  try {
    reply = await fetch(`${identityUrl}/sessions/whoami`, {
      headers: { ...headers, accept: "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    body = await reply.json();
  } catch (error) {
    throw unavailable("The identity service does not answer. Please try again.", error);
  }
  // No session, or one that lacks a second factor; the service itself tells which.
  if ([401, 403, 422].includes(reply.status)) return undefined;
  const read = reply.ok ? ExternalSession.safeParse(body) : undefined;
  if (!read?.success)
    throw unavailable(
      "The identity service gave an answer that is not understood. Please try again.",
      read?.error ?? new Error(`whoami answered ${reply.status}`),
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
  const { id, schema_id: schemaId, traits } = identity;
  const text = JSON.stringify(traits);
  const isKnown = await ctx.db.first(
    sql`select from identities where id = ${id} and traits = ${text}::jsonb`,
  );
  if (!isKnown) {
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
  const wanted = config.adminEmail.toLowerCase();
  return (addresses ?? []).some(
    ({ value, verified }) => verified && value.toLowerCase() === wanted,
  );
}
