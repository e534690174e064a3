import { type AccessToken, effectiveRoles, narrowRoles, type TokenKind } from "@mainstay/contract";
import sql, { type Sql } from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";

interface Row {
  id: string;
  name: string;
  kind: TokenKind;
  person: AccessToken["person"];
  created_by: AccessToken["created_by"];
  roles: string[] | null;
  owner_roles: string[];
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
}

/** Tokens as their owner and administrators see them: all but the secret. */
export async function readTokens(db: Queryable, which: Sql): Promise<AccessToken[]> {
  const rows = await db.rows<Row>(sql`
    select t.id, t.name, t.kind, t.roles, t.created_at, t.expires_at, t.last_used_at,
           jsonb_build_object('id', p.id, 'name', p.name) as person,
           case when c.id is not null then jsonb_build_object('id', c.id, 'name', c.name) end as created_by,
           array(select v1 from casbin_rule where ptype = 'g' and v0 = p.id::text) as owner_roles
      from access_tokens t
      join people p on p.id = t.person_id and p.deleted_at is null
      left join people c on c.id = t.created_by
     where ${which}
     order by t.created_at desc, t.id`);
  return rows.map(({ roles, owner_roles, created_at, expires_at, last_used_at, ...row }) => {
    const limit = roles && effectiveRoles(roles);
    return {
      ...row,
      roles: limit,
      effective_roles: narrowRoles(effectiveRoles(owner_roles), limit),
      created_at: created_at.toISOString(),
      expires_at: expires_at?.toISOString() ?? null,
      last_used_at: last_used_at?.toISOString() ?? null,
    };
  });
}
