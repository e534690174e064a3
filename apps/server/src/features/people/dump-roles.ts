import {
  type Action,
  isAllowed,
  type MatrixSettings,
  type Resource,
  resources,
  type Role,
  roles,
} from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";

export interface Policy {
  subject: Role;
  object: Resource;
  action: Action;
}

/** What a role allows on a server with these settings, line by line. */
export const policiesOf = (role: Role, settings: MatrixSettings): Policy[] =>
  (["read", "write"] as const).flatMap((action) =>
    resources
      .filter((object) => isAllowed([role], object, action, settings))
      .map((object) => ({ subject: role, object, action })),
  );

export interface RolesDump {
  message: "success";
  payload: {
    policies: Policy[];
    /** Everybody who has a role; who has none is a viewer. */
    grants: { id: string; name: string; email: string | null; roles: string[] }[];
  };
}

/** Who may do what: the matrix, and who has which role. */
export async function dumpRoles(ctx: Ctx): Promise<RolesDump> {
  const grants = await ctx.db.rows<RolesDump["payload"]["grants"][number]>(sql`
    select r.id, r.name, r.email, r.roles from people_roles r
      join people p on p.id = r.id and p.deleted_at is null
     where exists (select from casbin_rule g where g.ptype = 'g' and g.v0 = r.id::text)
     order by r.name, r.id`);
  return {
    message: "success",
    payload: { policies: roles.flatMap((role) => policiesOf(role, ctx.config)), grants },
  };
}
