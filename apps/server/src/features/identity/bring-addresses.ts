import sql from "sql-template-tag";
import { type Address, normalAddress } from "#platform/address.ts";
import type { Ctx, Tx } from "#platform/context.ts";

interface Addressed {
  id: string;
  email: string;
}

/**
 * Brings the addresses that an earlier version stored to their normal form, at every start; it finds some the first
 * time only. Of people whose addresses turn out to be one, who has proven it keeps it, else who was there first. The
 * others are known without an address from then on, keep everything else, and are given another by an administrator;
 * the audit log says which it was.
 */
export async function bringAddresses(ctx: Ctx): Promise<void> {
  const people = await ctx.db.rows<Addressed>(sql`
    select p.id, p.email from people p left join identity_addresses a on a.identity_id = p.id
     where p.deleted_at is null and p.email is not null
     order by coalesce(a.verified, false) desc, p.created_at, p.id`);
  const kept = new Set<Address>();
  const changes: { person: Addressed; to: Address | null }[] = [];
  for (const person of people) {
    const address = normalAddress(person.email);
    if (address === undefined) {
      ctx.log.warn(
        { person: person.id, address: person.email },
        "nobody can sign in with this address, as it can be taken for another one: an administrator should change it",
      );
    } else if (kept.has(address)) {
      changes.push({ person, to: null });
      ctx.log.warn(
        { person: person.id, address: person.email },
        "somebody else has this address, differently written: this person has none any more, and an administrator should give them another",
      );
    } else {
      kept.add(address);
      if (address !== person.email) changes.push({ person, to: address });
    }
  }
  if (changes.length === 0) return;
  // First who gives one up, so that the other can have it.
  changes.sort((one, other) => Number(one.to !== null) - Number(other.to !== null));
  await ctx.tx(
    async (tx) => {
      for (const { person, to } of changes) await readdress(tx, person, to);
    },
    { settings: { "mainstay.actor": JSON.stringify({ name: "Upgrade" }) } },
  );
}

/** With what goes by the address: whether it was verified, and what was sent to it. */
async function readdress(tx: Tx, { id, email }: Addressed, to: Address | null): Promise<void> {
  if (to === null) {
    await tx.run(sql`delete from identity_codes where identity_id = ${id} and address is not null`);
  } else {
    // Before the identity, so that its trigger takes it for the same address.
    await tx.run(sql`
      update identity_addresses set value = ${to}, updated_at = now() where identity_id = ${id}`);
    await tx.run(sql`
      update identity_codes set address = ${to} where identity_id = ${id} and address = ${email}`);
  }
  await tx.run(sql`
    update identities
       set traits = case when ${to}::text is null then traits - 'email'
                         else jsonb_set(traits, '{email}', to_jsonb(${to}::text)) end,
           updated_at = now()
     where id = ${id}`);
  // Of whoever signs in elsewhere; for the others the trigger has done it.
  await tx.run(sql`
    update people set email = ${to}, updated_at = now() where id = ${id} and email is distinct from ${to}`);
}
