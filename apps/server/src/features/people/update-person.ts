import {
  changeIdentity,
  findIdentityByAddress,
  isAddressTaken,
  notify,
  sendsMail,
  type Traits,
} from "#features/identity/index.ts";
import type { Ctx } from "#platform/context.ts";
import { conflict, unsupported } from "#platform/errors.ts";
import { administer } from "./administer.ts";
import { refuseOwnEnd, replaceRoles } from "./change-access.ts";
import { type Fields, readActive, readPersonId, readRole, readTraits } from "./person-input.ts";
import { readSeen, refuseStale } from "./stale-user.ts";
import { requireIdentity } from "./require-user.ts";

/** Changes name, address, role and state of a user; a role takes the place of all that there were. */
export async function updatePerson(ctx: Ctx, fields: Fields): Promise<Traits> {
  const personId = readPersonId(fields.id);
  const traits = readTraits(fields);
  const role = readRole(fields);
  const state = readActive(fields);
  const seen = readSeen(fields);
  await administer(ctx, role ? ["identities", "rbac"] : ["identities"], async (tx) => {
    refuseOwnEnd(ctx, personId, state);
    const identity = await requireIdentity(tx, personId);
    await refuseStale(tx, seen, identity);
    if (ctx.config.identityUrl !== undefined && !isSame(identity.traits, traits))
      throw unsupported(
        "Names and addresses are kept by the identity service that IDENTITY_URL names. Change them there.",
      );
    const taken = () => conflict(`Another user has the e-mail address ${traits.email}.`);
    const other = await findIdentityByAddress(tx, traits.email);
    if (other && other.id !== personId) throw taken();
    await changeIdentity(tx, identity, { traits, ...(state ? { state } : {}) }).catch(
      (error: unknown) => {
        throw isAddressTaken(error) ? taken() : error;
      },
    );
    if (role) await replaceRoles(tx, ctx, personId, [role]);
    const before = identity.traits.email;
    if (before && before !== traits.email && sendsMail(ctx.config))
      await notify(tx, {
        identityId: personId,
        subject: "Your e-mail address was changed",
        text: `An administrator has changed your e-mail address to ${traits.email}.`,
        to: before,
      });
  });
  return traits;
}

const isSame = (one: Traits, other: Traits): boolean =>
  one.email === other.email &&
  one.name?.first === other.name?.first &&
  one.name?.last === other.name?.last;
