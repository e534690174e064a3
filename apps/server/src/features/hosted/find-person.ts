import { effectiveRoles, type Role } from "@mainstay/contract";
import sql from "sql-template-tag";
import { forgetSessions } from "#features/identity/index.ts";
import { lockRoles } from "#features/roles/index.ts";
import type { Ctx, Tx } from "#platform/context.ts";
import { forbidden } from "#platform/errors.ts";
import { followProvider, isSettled } from "./follow-provider.ts";
import type { HostedClaims } from "./validate-token.ts";

export interface HostedPerson {
  id: string;
  name: string;
  email: string | null;
  roles: Role[];
}

interface Row extends Omit<HostedPerson, "roles"> {
  roles: string[];
  /** What the provider said last. */
  provider_role: "admin" | "member" | null;
  brought_admin: boolean;
  is_deleted: boolean;
  last_login: Date | null;
}

/** `last_login` is written at most this often. */
const SEEN_EVERY_MS = 60 * 60 * 1000;

/**
 * Whose token it is. Somebody seen for the first time is made a person; whoever becomes or ceases to be an administrator
 * at the provider does so here. Roles given here stay.
 */
export async function findHostedPerson(
  ctx: Ctx,
  claims: HostedClaims,
  complete: () => Promise<HostedClaims>,
): Promise<HostedPerson> {
  const known = await load(ctx.db, claims.subject);
  const now = ctx.clock.now();
  if (
    known &&
    !known.is_deleted &&
    now.getTime() - (known.last_login?.getTime() ?? 0) > SEEN_EVERY_MS
  )
    await ctx.db.run(sql`update people set last_login = ${now} where id = ${known.id}`);
  if (known && (known.is_deleted || (await isSettled(ctx.db, known, claims)))) return admit(known);
  const full = known ? claims : await complete();
  const person = await ctx.tx(async (tx) => {
    // Of two first requests at once, one makes the person and the other finds it; and who else administers is only true
    // while nobody else can change it.
    await lockRoles(tx);
    const found = (await load(tx, claims.subject)) ?? (await create(tx, full));
    if (found.is_deleted) return found;
    await followProvider(tx, found.id, claims);
    return (await load(tx, claims.subject))!;
  });
  forgetSessions(ctx);
  return admit(person);
}

function admit({ is_deleted: isDeleted, id, name, email, roles }: Row): HostedPerson {
  if (isDeleted)
    throw forbidden(
      "Your account was removed from this server. Ask an administrator to invite you again.",
    );
  return { id, name, email, roles: effectiveRoles(roles) };
}

function load(db: Pick<Tx, "first">, subject: string): Promise<Row | undefined> {
  return db.first<Row>(sql`
    select p.id, p.name, p.email, h.role as provider_role, coalesce(h.brought_admin, false) as brought_admin,
           p.deleted_at is not null as is_deleted, p.last_login,
           array(select v1 from casbin_rule where ptype = 'g' and v0 = p.id::text) as roles
      from people p left join hosted_people h on h.person_id = p.id
     where p.external_id = ${subject}
     order by p.deleted_at nulls first limit 1`);
}

async function create(tx: Tx, claims: HostedClaims): Promise<Row> {
  const { subject, email, name, avatar, isEmailVerified } = claims;
  const taken =
    email &&
    (await tx.first<{ id: string; external_id: string | null; is_theirs: boolean }>(sql`
      select p.id, p.external_id,
             p.last_login is null or not exists (select from identities i where i.id = p.id)
               or exists (select from identity_addresses a where a.identity_id = p.id and a.verified) as is_theirs
        from people p where p.email = ${email} and p.deleted_at is null for update of p`));
  if (taken) {
    // The same address is the same person only on the provider's word, and only once; nor is it when somebody who
    // signs in here may just have typed it in: they would act with the other's roles.
    if (!isEmailVerified || !taken.is_theirs || taken.external_id !== null)
      throw forbidden(
        `Somebody else with the address ${email} is known here. Ask an administrator.`,
      );
    await tx.run(
      sql`update people set external_id = ${subject}, updated_at = now() where id = ${taken.id}`,
    );
  } else {
    await tx.run(sql`
      insert into people (name, email, avatar, external_id)
      values (${name ?? email ?? subject}, ${email ?? null}, ${avatar ?? null}, ${subject})`);
  }
  return (await load(tx, subject))!;
}
