import type { Role } from "@mainstay/contract";
import pg from "pg";
import sql from "sql-template-tag";
import { grantRole, keepAdministrator, lockRoles } from "#features/roles/index.ts";
import { joinTeams } from "#features/teams/index.ts";
import type { Tx } from "#platform/context.ts";
import type { Address } from "#platform/address.ts";
import type { Queryable } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { deleteCredential, lockCredential, saveCredential } from "../credentials.ts";
import { Refused } from "../flows/method.ts";
import { oidcMessages } from "./oidc-messages.ts";
import type { OpenIdProvider } from "./oidc-providers.ts";
import type { Brought } from "./oidc-roles.ts";

/** An account at a provider, kept as the credential `oidc:<provider>` of the person it signs in. */
export interface OpenIdLink {
  subject: string;
  /** The address there, to tell accounts apart. */
  email?: string;
  /** What the provider's claims brought, beyond what the person had: it goes when the claims do. */
  roles: Role[];
}

const PREFIX = "oidc:";
export const linkType = (providerId: string): string => `${PREFIX}${providerId}`;

export interface LinkedIdentity {
  id: string;
  state: "active" | "inactive";
}

/** Whose account at a provider it is. */
export function findLinked(
  db: Queryable,
  providerId: string,
  subject: string,
): Promise<LinkedIdentity | undefined> {
  return db.first<LinkedIdentity>(sql`
    select i.id, i.state
      from identity_credentials c
      join identities i on i.id = c.identity_id
     where c.type = ${linkType(providerId)} and c.type like 'oidc:%' and c.config ->> 'subject' = ${subject}`);
}

export interface Addressed extends LinkedIdentity {
  /** There is no way to sign in yet: who was invited has none. */
  is_new: boolean;
  /** The address is known to be theirs: it was proven, or is as it was given, and nobody has been in since to change it. */
  is_theirs: boolean;
}

/** Whose address it is, as far as anybody knows. */
export function findByAddress(db: Queryable, email: Address): Promise<Addressed | undefined> {
  return db.first<Addressed>(sql`
    select i.id, i.state,
           not exists (select from identity_credentials c where c.identity_id = i.id) as is_new,
           p.last_login is null
             or exists (select from identity_addresses a where a.identity_id = i.id and a.verified) as is_theirs
      from identities i join people p on p.id = i.id
     where i.traits ->> 'email' = ${email}`);
}

/** The providers whose accounts a person has linked, with what is shown of each. */
export async function linkedProviders(
  db: Queryable,
  identityId: string,
): Promise<Map<string, OpenIdLink>> {
  const rows = await db.rows<{ type: string; config: OpenIdLink }>(sql`
    select type, config from identity_credentials where identity_id = ${identityId} and type like 'oidc:%'`);
  return new Map(rows.map(({ type, config }) => [type.slice(PREFIX.length), config]));
}

interface Linking {
  identityId: string;
  provider: Pick<OpenIdProvider, "id" | "label">;
  subject: string;
  email?: string;
  /** What the claims bring now. */
  brought: Brought;
  /** It was linked when somebody looked: what was unlinked meanwhile is not linked again. */
  isLinked?: boolean;
}

/**
 * Links an account, or takes note that it was used; false when it is not linked any more. Roles that its claims no
 * longer bring are taken back; those that were given here stay. Teams are only ever joined.
 */
export async function saveLink(tx: Tx, link: Linking): Promise<boolean> {
  const { identityId, provider, subject, email, isLinked = false } = link;
  const { roles, teams } = link.brought;
  const type = linkType(provider.id);
  await lockRoles(tx);
  const known = await lockCredential<OpenIdLink>(tx, identityId, type);
  if (isLinked && known?.subject !== subject) return false;
  const before = known?.roles ?? [];
  const held = await heldRoles(tx, identityId);
  const added = roles.filter((role) => before.includes(role) || !held.includes(role));
  for (const role of roles) await grantRole(tx, identityId, role);
  const kept = await takeBack(
    tx,
    identityId,
    before.filter((role) => !roles.includes(role)),
  );
  const config: OpenIdLink = { subject, ...(email ? { email } : {}), roles: [...added, ...kept] };
  await saveCredential(tx, identityId, type, config).catch(refuseLinkedElsewhere(provider.label));
  await joinTeams(tx, identityId, teams);
  return true;
}

/** Another person may have linked the account since it was looked up. */
export const refuseLinkedElsewhere =
  (label: string) =>
  (error: unknown): never => {
    const isTaken =
      error instanceof pg.DatabaseError && error.constraint === "identity_credentials_oidc";
    throw isTaken ? new Refused({ messages: [oidcMessages.linkedElsewhere(label)] }) : error;
  };

/** Ends the link, and what it brought. */
export async function deleteLink(tx: Tx, identityId: string, providerId: string): Promise<void> {
  await lockRoles(tx);
  const link = await lockCredential<OpenIdLink>(tx, identityId, linkType(providerId));
  await takeBack(tx, identityId, link?.roles ?? []);
  await deleteCredential(tx, identityId, linkType(providerId));
}

async function heldRoles(tx: Tx, personId: string): Promise<string[]> {
  const rows = await tx.rows<{ v1: string }>(
    sql`select v1 from casbin_rule where ptype = 'g' and v0 = ${personId}`,
  );
  return rows.map(({ v1 }) => v1);
}

/** Returns what had to stay, because nobody could administer without it. */
async function takeBack(tx: Tx, personId: string, roles: readonly Role[]): Promise<Role[]> {
  if (roles.length === 0) return [];
  await tx.run(
    sql`delete from casbin_rule where ptype = 'g' and v0 = ${personId} and v1 = any(${roles}::text[])`,
  );
  if (!roles.includes("admin")) return [];
  try {
    await keepAdministrator(tx);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await grantRole(tx, personId, "admin");
    return ["admin"];
  }
}
