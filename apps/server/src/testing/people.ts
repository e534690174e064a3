import { createHash, randomBytes } from "node:crypto";
import type { Role } from "@mainstay/contract";
import sql from "sql-template-tag";
import { grantRole } from "#features/roles/index.ts";
import { type Client, client, type TestApp } from "./app.ts";

export interface TestPerson extends Client {
  id: string;
  email: string;
  name: string;
  /** Of the session. */
  token: string;
}

let made = 0;
const hashOf = (token: string) => createHash("sha256").update(token).digest("hex");

/** Somebody with these roles who is signed in; nothing is known of a password. */
export async function createPerson(
  { db, address }: TestApp,
  roles: Role | readonly Role[] = [],
  { first = "Ada", last = `Lovelace ${++made}` }: { first?: string; last?: string } = {},
): Promise<TestPerson> {
  const email = `person-${++made}@example.org`;
  const traits = JSON.stringify({ email, name: { first, last } });
  const { id } = (await db.first<{ id: string }>(
    sql`insert into identities (traits) values (${traits}::jsonb) returning id`,
  ))!;
  for (const role of [roles].flat()) await grantRole(db, id, role);
  const token = randomBytes(32).toString("base64url");
  await db.run(sql`
    insert into identity_sessions (identity_id, token_hash, expires_at)
    values (${id}, ${hashOf(token)}, now() + interval '1 hour')`);
  return {
    id,
    email,
    name: `${first} ${last}`,
    token,
    ...client(address, { "x-session-token": token }),
  };
}
