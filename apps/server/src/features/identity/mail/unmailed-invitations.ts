import sql from "sql-template-tag";
import type { Ctx, Tx } from "#platform/context.ts";
import type { Queryable } from "#platform/db/database.ts";
import { openEncryption } from "#platform/encryption.ts";
import type { RecoveryLink } from "../code/recovery-link.ts";

/**
 * Invitations that no mail has brought: there is no mail server, or it did not take the mail. Clients may drop the link
 * that the invitation is answered with, and it is kept nowhere else; so whoever invited can read it here until it is
 * used or has expired. Nobody else can: it is as good as a password.
 */

export interface UnmailedInvitation {
  id: string;
  name: string;
  email: string | null;
  invited_by: string | null;
  expires_at: Date;
  /** For who invited alone. */
  link?: string;
}

/** The newest; people are shown a few at a time. */
const MOST_LISTED = 100;

const place = (identityId: string) => `invitation ${identityId}`;

/** Within the transaction that makes the identity; it counts as failed at once where no mail is sent. */
export async function rememberInvitation(
  ctx: Ctx,
  tx: Tx,
  invitation: RecoveryLink & { identityId: string; mailed: boolean },
): Promise<void> {
  const { identityId, link, expires_at: expiresAt, mailed } = invitation;
  const encrypted = openEncryption(ctx.config).encrypt(link, place(identityId));
  const by = ctx.actor.kind === "person" ? ctx.actor.id : null;
  await tx.run(sql`
    insert into unmailed_invitations (identity_id, invited_by, link, failed_at, expires_at)
    values (${identityId}, ${by}, ${encrypted}, ${mailed ? null : ctx.clock.now()}, ${expiresAt})`);
}

export async function invitationWasMailed(db: Queryable, identityId: string): Promise<void> {
  await db.run(sql`delete from unmailed_invitations where identity_id = ${identityId}`);
}

/** It may be mailed yet: the mail server is asked again for a while. */
export async function invitationWasNotMailed(
  db: Queryable,
  identityId: string,
  now: Date,
): Promise<void> {
  await db.run(sql`
    update unmailed_invitations set failed_at = ${now} where identity_id = ${identityId} and failed_at is null`);
}

/** Those of people who have not been here yet and still can come by them. */
export async function listUnmailedInvitations(ctx: Ctx): Promise<UnmailedInvitation[]> {
  const rows = await ctx.db.rows<
    Omit<UnmailedInvitation, "link"> & { by_id: string | null; link: string }
  >(sql`
    select p.id, p.name, p.email, b.name as invited_by, u.invited_by as by_id, u.link, u.expires_at
      from unmailed_invitations u
      join identities i on i.id = u.identity_id and i.state = 'active'
      join people p on p.id = i.id and p.deleted_at is null and p.last_login is null
      left join people b on b.id = u.invited_by
     where u.failed_at is not null and u.expires_at > ${ctx.clock.now()}
     order by u.failed_at desc, p.id
     limit ${MOST_LISTED}`);
  return rows.map(({ by_id: byId, link: kept, ...row }) => {
    const isTheirs = ctx.actor.kind === "person" && byId === ctx.actor.id;
    const link = isTheirs ? readLink(ctx, kept, row.id) : undefined;
    return { ...row, ...(link !== undefined && { link }) };
  });
}

/** None where it was encrypted with another key, as every start says: the rest is told all the same. */
function readLink({ config }: Ctx, kept: string, identityId: string): string | undefined {
  try {
    return openEncryption(config).decrypt(kept, place(identityId));
  } catch {
    return undefined;
  }
}
