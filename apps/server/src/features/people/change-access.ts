import type { Role } from "@mainstay/contract";
import { changeIdentity } from "#features/identity/index.ts";
import { rolesOf, setRoles } from "#features/roles/index.ts";
import type { Ctx, Tx } from "#platform/context.ts";
import { forbidden } from "#platform/errors.ts";
import { administer, isSelf } from "./administer.ts";
import { type Fields, readPersonId, readRoles, readState, refuseOtherId } from "./person-input.ts";
import { requireIdentity, requireRoleHolder } from "./require-user.ts";

/** Leaves a person with exactly the roles that are given; with none they are a viewer. */
export async function changeRoles(
  ctx: Ctx,
  id: string,
  fields: Fields,
): Promise<{ message: string }> {
  const personId = readPersonId(id);
  const roles = readRoles(fields);
  await administer(ctx, ["rbac"], async (tx) => {
    await requireRoleHolder(tx, personId);
    await replaceRoles(tx, ctx, personId, roles);
  });
  return { message: "Role updated successfully" };
}

/** Within `administer`. */
export async function replaceRoles(
  tx: Tx,
  ctx: Ctx,
  personId: string,
  roles: readonly Role[],
): Promise<void> {
  const before = await rolesOf(tx, personId);
  if (isSelf(ctx, personId) && before?.includes("admin") && !roles.includes("admin")) {
    throw forbidden(
      "You cannot take the administrator's role from yourself. Ask another administrator to do it.",
    );
  }
  await setRoles(tx, personId, roles);
}

/** Lets somebody in, or no longer: then they are signed out everywhere at once. */
export async function changeState(
  ctx: Ctx,
  id: string,
  fields: Fields,
): Promise<{ message: string }> {
  const personId = readPersonId(id);
  refuseOtherId(fields, personId);
  const state = readState(fields);
  await administer(ctx, ["identities"], async (tx) => {
    refuseOwnEnd(ctx, personId, state);
    const identity = await requireIdentity(tx, personId);
    await changeIdentity(tx, identity, { state });
  });
  return { message: "success" };
}

export function refuseOwnEnd(ctx: Ctx, personId: string, state?: "active" | "inactive"): void {
  if (isSelf(ctx, personId) && state === "inactive")
    throw forbidden("You cannot deactivate yourself. Ask another administrator to do it.");
}
