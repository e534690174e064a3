import type { FastifyRequest } from "fastify";
import sql from "sql-template-tag";
import {
  baseUrl,
  createIdentityFor,
  createRecoveryLink,
  findIdentityByAddress,
  isAddressTaken,
  rememberInvitation,
  sendInvitation,
  sendsMail,
} from "#features/identity/index.ts";
import { setRoles } from "#features/roles/index.ts";
import type { Address } from "#platform/address.ts";
import type { Ctx, Tx } from "#platform/context.ts";
import { conflict, unsupported } from "#platform/errors.ts";
import { administer } from "./administer.ts";
import { readFields, readRole, readTraits } from "./person-input.ts";

export interface Invitation {
  /** With which the invited person chooses a password. It is shown here, once. */
  link: string;
  /** A link is on its way by mail, too. */
  mailed: boolean;
}

/** Makes a user who cannot sign in yet, and the link that changes that. The role counts from the start. */
export async function inviteUser(ctx: Ctx, request: FastifyRequest): Promise<Invitation> {
  const fields = readFields(request);
  const traits = readTraits(fields);
  const role = readRole(fields);
  refuseElsewhere(ctx);
  const mailed = sendsMail(ctx.config);
  return await administer(ctx, role ? ["identities", "rbac"] : ["identities"], async (tx) => {
    if (await isTaken(tx, traits.email)) throw userExists();
    const { id } = await createIdentityFor(tx, traits).catch(refuseTwin);
    if (role) await setRoles(tx, id, [role]);
    if (mailed) await sendInvitation(tx, { identityId: id, invitedBy: nameOf(ctx) });
    const address = baseUrl(request, ctx.config);
    const made = await createRecoveryLink(ctx, id, { tx, address });
    await rememberInvitation(ctx, tx, { ...made, identityId: id, mailed });
    return { link: made.link, mailed };
  });
}

function refuseElsewhere({ config }: Ctx): void {
  if (config.hostedIssuer !== undefined || config.identityUrl !== undefined) {
    throw unsupported(
      "People sign in with another identity service here. Invite them there; they appear here when they have signed in.",
    );
  }
}

async function isTaken(tx: Tx, email: Address): Promise<boolean> {
  if (await findIdentityByAddress(tx, email)) return true;
  const person = await tx.first(
    sql`select from people where email = ${email} and deleted_at is null`,
  );
  return person !== undefined;
}

export const USER_EXISTS = "User already exists";
const userExists = () => conflict(USER_EXISTS);

/** Somebody may register with the address at this very moment. */
function refuseTwin(error: unknown): never {
  throw isAddressTaken(error) ? userExists() : error;
}

const nameOf = ({ actor }: Ctx) => (actor.kind === "person" ? actor.name : "Mainstay");
