import type { Role } from "@mainstay/contract";
import sql from "sql-template-tag";
import { forgetSessions } from "#features/identity/index.ts";
import { grantRole } from "#features/roles/index.ts";
import type { TestApp } from "../../../testing/app.ts";
import { createPerson, type TestPerson } from "../../../testing/people.ts";

export interface SignedIn extends TestPerson {
  /** Their roles from now on. */
  setRoles(...roles: Role[]): Promise<void>;
  /** A token of theirs, by the endpoint. */
  makeToken(body: object): Promise<string>;
}

/** Somebody new with a role, signed in, who has tokens. */
export async function signInAs(app: TestApp, role: Role, name = "Ada Lovelace"): Promise<SignedIn> {
  const [first, last] = name.split(" ") as [string, string];
  const person = await createPerson(app, role, { first, last });
  return {
    ...person,
    async setRoles(...roles) {
      await app.db.run(sql`delete from casbin_rule where v0 = ${person.id}`);
      for (const one of roles) await grantRole(app.db, person.id, one);
      forgetSessions(app.app.ctx);
    },
    async makeToken(body) {
      const reply = await person.post("/api/auth/tokens", body);
      if (reply.status !== 201) throw new Error(`no token: ${reply.status} ${reply.text}`);
      return reply.json.access_token as string;
    },
  };
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
export const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});
