import {
  type CreatedAccessToken,
  DEFAULT_TOKEN_DAYS,
  grantableRoles,
  isAllowed,
  MAX_TOKEN_NAME_LENGTH,
  MAX_TOKENS,
  type Role,
  roles,
  type TokenKind,
} from "@mainstay/contract";
import sql from "sql-template-tag";
import { z } from "zod";
import { isStorable, notify, sendsMail } from "#features/identity/index.ts";
import { grantRole, lockRoles, rolesOf } from "#features/roles/index.ts";
import type { Actor, Ctx, Tx } from "#platform/context.ts";
import { conflict, forbidden, invalid, unauthenticated } from "#platform/errors.ts";
import { readTokens } from "./access-token.ts";
import { hashToken, makeToken } from "./token-text.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export const NewToken = z.object({
  name: z
    .string()
    .trim()
    .min(1, "A token needs a name.")
    .max(MAX_TOKEN_NAME_LENGTH)
    .refine(isStorable, "The name has characters that cannot be kept."),
  kind: z.enum(["personal", "service"]).default("personal"),
  roles: z.array(z.enum(roles)).min(1, "Name at least one role.").max(roles.length).nullish(),
  expires_at: z.iso.datetime({ offset: true }).nullish(),
});

type Person = Extract<Actor, { kind: "person" }>;

/** Whoever manages tokens is signed in: a token must not outlive itself, or grow, by making another. */
export function requireSession(ctx: Ctx): Person {
  const { actor } = ctx;
  if (actor.kind !== "person") throw unauthenticated();
  if (actor.token)
    throw forbidden(
      "Access tokens are managed by people who are signed in, not with an access token.",
    );
  return actor;
}

/** A token of the asker's own, or of a service; its text is in the answer and nowhere else. */
export async function createToken(
  ctx: Ctx,
  input: z.output<typeof NewToken>,
): Promise<CreatedAccessToken> {
  const actor = requireSession(ctx);
  const { name, kind, roles: limit } = input;
  if (kind === "service") ctx.require("rbac", "write");
  const tooMuch = limit?.find((role) => !grantableRoles(actor.roles).includes(role));
  if (tooMuch)
    throw forbidden(`You cannot give a token the role ${tooMuch}, which you do not have yourself.`);
  const expiresAt = readExpiry(input.expires_at, ctx.clock.now());
  return await ctx.tx(async (tx) => {
    if (kind === "personal") {
      await tellOwner(ctx, tx, { personId: actor.id, name });
      return await insertToken(tx, {
        name,
        kind,
        personId: actor.id,
        limit,
        expiresAt,
        by: actor.id,
      });
    }
    if (!limit)
      throw invalid("A service token needs roles.", [
        { path: "roles", message: "Name at least one role." },
      ]);
    await requireStill(tx, actor);
    const personId = await createService(tx, name, limit);
    return await insertToken(tx, { name, kind, personId, expiresAt, by: actor.id });
  });
}

/** Whoever has come to a session for a moment could stay by a token: its owner should know that there is one. */
export async function tellOwner(
  ctx: Ctx,
  tx: Tx,
  { personId, name }: { personId: string; name: string },
): Promise<void> {
  if (!sendsMail(ctx.config)) return;
  await notify(tx, {
    identityId: personId,
    subject: "A new access token was made",
    text: `The access token "${name}" was made for your account. Revoke it in the console when it is not yours.`,
  });
}

/** When a token ends: as somebody has said, which may be never, else in 90 days. */
export function readExpiry(given: string | null | undefined, now: Date): Date | null {
  if (given === null) return null;
  if (given === undefined) return new Date(now.getTime() + DEFAULT_TOKEN_DAYS * DAY_MS);
  const at = new Date(given);
  if (at <= now)
    throw invalid("The token would have expired already.", [
      { path: "expires_at", message: "Choose a time in the future, or null for never." },
    ]);
  return at;
}

/** A service has roles of its own: whoever was demoted a moment ago makes none any more. */
async function requireStill(tx: Tx, { id }: Person): Promise<void> {
  await lockRoles(tx);
  const now = await rolesOf(tx, id);
  if (!now) throw unauthenticated();
  if (!isAllowed(now, "rbac", "write"))
    throw forbidden("You may not do this any more: your roles were changed a moment ago.");
}

/** A service is a person of its own, so that what it does is its own and outlives whoever set it up. */
async function createService(tx: Tx, name: string, granted: readonly Role[]): Promise<string> {
  const taken = await tx.first(sql`
    select from people p join access_tokens t on t.person_id = p.id and t.kind = 'service'
     where p.name = ${name} and p.type = 'service' and p.deleted_at is null`);
  if (taken) throw nameTaken(name);
  const person = await tx.first<{ id: string }>(
    sql`insert into people (name, type) values (${name}, 'service') returning id`,
  );
  for (const role of granted) await grantRole(tx, person!.id, role);
  return person!.id;
}

const nameTaken = (name: string) =>
  conflict(`There is a token called ${name} already. Choose another name, or revoke that one.`);

export interface TokenToInsert {
  name: string;
  kind: TokenKind;
  personId: string;
  /** At most these roles; whatever the owner may do without. */
  limit?: readonly Role[] | null;
  expiresAt: Date | null;
  by: string | null;
}

/** Makes a token for somebody. Whether it may be made has been decided by the caller. */
export async function insertToken(tx: Tx, token: TokenToInsert): Promise<CreatedAccessToken> {
  const { name, kind, personId, limit, expiresAt, by } = token;
  // Of two requests at once the second waits here, and counts the first's.
  await tx.run(sql`select from people where id = ${personId} for update`);
  const held = await tx.first<{ count: number }>(
    sql`select count(*)::int as count from access_tokens where person_id = ${personId}`,
  );
  if (held!.count >= MAX_TOKENS)
    throw conflict(`There are ${MAX_TOKENS} tokens already. Revoke some that are not needed.`);
  const made = makeToken();
  const inserted = await tx.first<{ id: string }>(sql`
    insert into access_tokens (name, kind, person_id, value, salt, roles, expires_at, created_by)
    values (${name}, ${kind}, ${personId}, ${await hashToken(made)}, ${made.salt}, ${limit ?? null}, ${expiresAt}, ${by})
    on conflict (person_id, name) do nothing returning id`);
  if (!inserted) throw nameTaken(name);
  const [row] = await readTokens(tx, sql`t.id = ${inserted.id}`);
  return { ...row!, access_token: made.text };
}
