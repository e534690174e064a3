import type { Role } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { TestApp } from "../../../testing/app.ts";
import type { TestPerson } from "../../../testing/people.ts";

/** What became of a user, as administrators see it. */

/** The roles they were given; nothing when there are none. */
export const rolesOf = async ({ admin }: TestApp, id: string): Promise<Role[] | undefined> =>
  (await admin.get(`/api/db/people_roles?id=eq.${id}`)).json[0]?.roles;

export const stateOf = ({ db }: TestApp, id: string) =>
  db.first<{ state: string | null; deleted: boolean }>(sql`
    select i.state, p.deleted_at is not null as deleted from people p left join identities i on i.id = p.id
     where p.id = ${id}`);

/** What the console sends to edit somebody. */
export const edit = ({ id, email }: Pick<TestPerson, "id" | "email">, changes: object = {}) => ({
  id,
  firstName: "Ada",
  lastName: "Lovelace",
  email,
  ...changes,
});
