import type { Role } from "@mainstay/contract";
import sql from "sql-template-tag";
import { createSession, forgetSessions } from "#features/identity/index.ts";
import { grantRole } from "#features/roles/index.ts";
import { type Client, client, type TestApp } from "../../../testing/app.ts";

export interface SignedIn extends Client {
  id: string;
  email: string;
  sessionToken: string;
  /** Their roles from now on. */
  setRoles(...roles: Role[]): Promise<void>;
  /** A token of theirs, by the endpoint. */
  makeToken(body: object): Promise<string>;
}

/** Somebody new with a role, signed in. */
export async function signInAs(
  { app, db, address }: TestApp,
  role: Role,
  name = "Ada Lovelace",
): Promise<SignedIn> {
  const email = `${crypto.randomUUID()}@example.org`;
  const [first, last] = name.split(" ");
  const identity = await db.first<{ id: string }>(sql`
    insert into identities (traits) values (${JSON.stringify({ email, name: { first, last } })}::jsonb) returning id`);
  const { id } = identity!;
  await app.ctx.tx((tx) => grantRole(tx, id, role));
  const now = app.ctx.clock.now();
  const { token } = await createSession(db, {
    identityId: id,
    method: "password",
    device: {},
    now,
  });
  const signedIn = client(address, { "x-session-token": token });
  return {
    ...signedIn,
    id,
    email,
    sessionToken: token,
    async setRoles(...roles) {
      await db.run(sql`delete from casbin_rule where v0 = ${id}`);
      for (const one of roles) await app.ctx.tx((tx) => grantRole(tx, id, one));
      forgetSessions(db);
    },
    async makeToken(body) {
      const reply = await signedIn.post("/api/auth/tokens", body);
      if (reply.status !== 201) throw new Error(`no token: ${reply.status} ${reply.text}`);
      return reply.json.access_token as string;
    },
  };
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
export const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});
