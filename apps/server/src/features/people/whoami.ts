import { hostname } from "node:os";
import type { Role } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { unauthenticated } from "#platform/errors.ts";
import { policiesOf, type Policy } from "./dump-roles.ts";

interface User {
  id: string;
  name: string;
  email?: string;
  avatar?: string;
  type?: string;
  external_id?: string;
  properties: Record<string, unknown>;
}

export interface Whoami {
  message: "success";
  payload: {
    user: User;
    roles: Role[];
    permissions: Policy[];
    /** Who else is allowed what the matrix gives to administrators alone, by this server's settings. */
    code_roles: readonly Role[];
    hostname: string;
  };
}

/** Who is signed in and what they may do. */
export async function whoami(ctx: Ctx): Promise<Whoami> {
  if (ctx.actor.kind !== "person") throw unauthenticated();
  const { id, roles } = ctx.actor;
  // Without the keys that are null.
  const found = await ctx.db.first<{ person: Omit<User, "properties"> & Partial<User> }>(sql`
    select jsonb_strip_nulls(jsonb_build_object('id', id, 'name', name, 'email', email, 'avatar', avatar, 'type', type,
             'external_id', external_id, 'properties', properties)) as person
      from people where id = ${id} and deleted_at is null`);
  if (!found) throw unauthenticated();
  return {
    message: "success",
    payload: {
      user: { ...found.person, properties: found.person.properties ?? {} },
      roles: [...roles],
      permissions: roles.flatMap((role) => policiesOf(role, ctx.config)),
      code_roles: ctx.config.codeRoles,
      hostname: hostname(),
    },
  };
}
