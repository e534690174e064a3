import { effectiveRoles, type Role } from "@mainstay/contract";
import sql from "sql-template-tag";
import { grantRole } from "#features/roles/index.ts";
import type { Ctx, Tx } from "#platform/context.ts";
import { forbidden } from "#platform/errors.ts";
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
  provider_role: string | null;
  is_deleted: boolean;
  last_login: Date | null;
}

/** `last_login` is written at most this often. */
const SEEN_EVERY_MS = 60 * 60 * 1000;

/** The provider's word about the role, as it is kept. */
const roleOf = ({ isAdmin }: HostedClaims) => (isAdmin ? "admin" : "member");

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
  if (known && (known.is_deleted || known.provider_role === roleOf(claims))) return admit(known);
  const full = known ? claims : await complete();
  return admit(
    await ctx.tx(async (tx) => {
      // Of two first requests at once, one makes the person and the other finds it.
      await tx.run(
        sql`select pg_advisory_xact_lock(hashtextextended(${`hosted ${claims.subject}`}, 0))`,
      );
      const person = (await load(tx, claims.subject)) ?? (await create(tx, full));
      await followProvider(tx, person, full);
      return (await load(tx, claims.subject))!;
    }),
  );
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
    select id, name, email, properties ->> 'role' as provider_role, deleted_at is not null as is_deleted, last_login,
           array(select v1 from casbin_rule where ptype = 'g' and v0 = people.id::text) as roles
      from people where external_id = ${subject}
     order by deleted_at nulls first limit 1`);
}

async function create(tx: Tx, claims: HostedClaims): Promise<Row> {
  const { subject, email, name, avatar, isEmailVerified } = claims;
  const taken =
    email &&
    (await tx.first<{ id: string; external_id: string | null }>(sql`
      select id, external_id from people where email = ${email} and deleted_at is null for update`));
  if (taken) {
    // The same address is the same person only on the provider's word, and only once.
    if (!isEmailVerified || taken.external_id !== null)
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

async function followProvider(tx: Tx, person: Row, claims: HostedClaims): Promise<void> {
  if (person.provider_role === roleOf(claims)) return;
  if (claims.isAdmin) await grantRole(tx, person.id, "admin");
  else if (person.provider_role === "admin")
    await tx.run(
      sql`delete from casbin_rule where ptype = 'g' and v0 = ${person.id} and v1 = 'admin'`,
    );
  await tx.run(sql`
    update people set properties = coalesce(properties, '{}') || jsonb_build_object('role', ${roleOf(claims)}::text)
     where id = ${person.id}`);
}
