import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lockRoles } from "#features/roles/index.ts";
import type { Queryable } from "#platform/db/database.ts";
import { untilBlocked } from "../../testing/blocked.ts";
import {
  account,
  comeBack,
  go,
  type Kind,
  leave,
  provider,
  said,
  start,
  startProvider,
  whoIs,
} from "./testing/oidc-browser.ts";
import {
  type CookieJar,
  type IdentityServer,
  signInAsBrowser,
  signInAsProgram,
} from "./testing/identity-server.ts";
import {
  addKey,
  changeSettings,
  createDevice,
  messageIds,
  openSettings,
  startFactorServer,
} from "./testing/second-factors.ts";

/** Two changes at the same moment, each of which would be fine alone, leave nobody locked out and let nobody in. */

let linked: IdentityServer;
let keyed: IdentityServer;
beforeAll(async () => {
  await startProvider();
  linked = await start({ registration: "open" });
  // The first person of all would become administrator.
  await linked.createPerson("first@example.org", "admin");
  keyed = await startFactorServer();
});
afterAll(async () => {
  await linked.stop();
  await keyed.stop();
  await provider.stop();
});

/** Lets both go as far as they get while `hold` is held, and then on. */
async function together<T>(
  { db }: IdentityServer,
  hold: (tx: Queryable) => Promise<unknown>,
  requests: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const { replies } = await db.transaction(async (tx) => {
    await hold(tx);
    const under = requests.map((ask) => ask());
    await untilBlocked(tx, requests.length);
    return { replies: under };
  });
  return await Promise.all(replies);
}

const typesOf = async ({ db }: IdentityServer, id: string): Promise<string[]> =>
  (
    await db.rows<{ type: string }>(
      sql`select type from identity_credentials where identity_id = ${id} order by type`,
    )
  ).map(({ type }) => type);

/** What is answered to unlinking: nobody is sent away by it, which is what the helper waits for. */
const answerOf = (jar: CookieJar, name: string): Promise<string> =>
  leave(linked, "settings", { jar, field: "unlink", id: name }).then(
    () => "sent away",
    (error: Error) => error.message,
  );

test("of two providers, both unlinked at once, one stays", async () => {
  account();
  const { jar } = await go(linked, "login");
  const id = (await whoIs(linked, jar))!.identity.id;
  await go(linked, "settings", { jar, id: "other" });
  expect(await typesOf(linked, id)).toEqual(["oidc:acme", "oidc:other"]);
  const unlink = (name: string) => () => answerOf(jar, name);
  const said = await together(linked, lockRoles, [unlink("acme"), unlink("other")]);
  expect(await typesOf(linked, id)).toHaveLength(1);
  expect(said.filter((text) => /only way to sign in/.test(text))).toHaveLength(1);
});

test("of two passkeys, both removed at once, one stays", async () => {
  const { id } = await keyed.createPerson("grace@example.org");
  const jar = await signInAsBrowser(keyed, "grace@example.org");
  for (const device of [createDevice(), createDevice()])
    expect((await addKey(keyed, jar, { device, kind: "passkey" })).status).toBe(200);
  await keyed.db.run(
    sql`delete from identity_credentials where identity_id = ${id} and type = 'password'`,
  );
  const keys = await keyed.db.rows<{ id: string }>(
    sql`select id from identity_keys where identity_id = ${id}`,
  );
  const flows = [await openSettings(keyed, jar), await openSettings(keyed, jar)];
  const replies = await together(
    keyed,
    (tx) =>
      tx.run(
        sql`select from identity_credentials where identity_id = ${id} and type = 'passkey' for update`,
      ),
    flows.map((flow, index) => async () => {
      const fields = { method: "passkey", passkey_remove: keys[index]!.id };
      return await changeSettings(keyed, jar, flow, fields as never);
    }),
  );
  expect(replies.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([
    200, 400,
  ]);
  const refused = replies.find(({ status }) => status === 400)!;
  expect(messageIds(refused.data)).toHaveLength(1);
  expect(JSON.stringify(refused.data.ui.messages)).toContain("only way to sign in");
  expect(await typesOf(keyed, id)).toEqual(["passkey"]);
});

test("an account beside a passkey may be unlinked", async () => {
  account();
  const { jar } = await go(linked, "login");
  const id = (await whoIs(linked, jar))!.identity.id;
  await linked.db.run(
    sql`insert into identity_credentials (identity_id, type, config) values (${id}, 'passkey', '{}')`,
  );
  expect(await answerOf(jar, "acme")).not.toMatch(/only way/);
  expect(await typesOf(linked, id)).toEqual(["passkey"]);
});

/** A browser that the provider has sent on its way back. */
async function onTheWay(kind: Kind, jar?: CookieJar) {
  const left = await leave(linked, kind, jar ? { jar } : {});
  const to = await provider.visit(left.address);
  return async () => ({ jar: left.jar, ...(await comeBack(linked, left.jar, to)) });
}

test("of two people who link one account at once, one has it and the other is told", async () => {
  const subject = account();
  const arrivals = [];
  for (const email of ["one@example.org", "two@example.org"]) {
    await linked.createPerson(email);
    arrivals.push(await onTheWay("settings", await signInAsBrowser(linked, email)));
  }
  const backs = await together(linked, lockRoles, arrivals);
  expect(backs.map(({ status }) => status)).toEqual([303, 303]);
  const told = await Promise.all(backs.map((back) => said(linked, back)));
  expect(told.toSorted()).toEqual([
    "This account at Acme is linked to another account here.",
    "Your changes have been saved!",
  ]);
  expect(
    await linked.db.rows(
      sql`select from identity_credentials where config ->> 'subject' = ${subject}`,
    ),
  ).toHaveLength(1);
});

test("of two who sign up with one account at once, one does and the other is told", async () => {
  const subject = account();
  const [first, second] = [await onTheWay("registration"), await onTheWay("registration")];
  const [early, late] = await together(linked, lockRoles, [
    first,
    async () => {
      await untilBlocked(linked.db, 1);
      // Their address there has changed in between, so that it is not what tells them apart.
      const claims = provider.accounts.get(subject)!;
      provider.accounts.set(subject, { ...claims, email: `${crypto.randomUUID()}@example.org` });
      return await second();
    },
  ]);
  expect(early!.location).toBe("/");
  expect(await said(linked, late!)).toBe("This account at Acme is linked to another account here.");
  expect(await whoIs(linked, late!.jar)).toBeUndefined();
});

test("an account that is unlinked while it signs in is not linked again by that", async () => {
  const email = "unlinks@example.org";
  const { id } = await linked.createPerson(email);
  const jar = await signInAsBrowser(linked, email);
  account();
  await go(linked, "settings", { jar });
  expect(await typesOf(linked, id)).toEqual(["oidc:acme", "password"]);
  const arrive = await onTheWay("login");
  const [, back] = await together<unknown>(linked, lockRoles, [
    () => answerOf(jar, "acme"),
    async () => {
      await untilBlocked(linked.db, 1);
      return await arrive();
    },
  ]);
  expect(await typesOf(linked, id)).toEqual(["password"]);
  const { jar: other, location } = back as Awaited<ReturnType<typeof arrive>>;
  expect(location).toMatch(/^\/login\?flow=/);
  expect(await whoIs(linked, other)).toBeUndefined();
});

test("a sign-in that a new password overtakes does not come in with the old one", async () => {
  const email = "overtaken@example.org";
  const { id } = await linked.createPerson(email);
  const changePassword = (tx: Queryable) =>
    tx.run(sql`
      update identity_credentials set config = '{"hashed_password": "of another"}' where identity_id = ${id}`);
  const [answer] = await together(linked, changePassword, [
    () => signInAsProgram(linked, email).catch((error: Error) => error.message),
  ]);
  expect(answer).toMatch(/^signing in failed: .*self_service_flow_expired/);
  expect(
    await linked.db.rows(sql`select from identity_sessions where identity_id = ${id}`),
  ).toEqual([]);
});

test("a key that somebody else adds at the same moment is refused in the form", async () => {
  const [other, mine] = [await keyed.createPerson("a@example.org"), "b@example.org"];
  const { id } = await keyed.createPerson(mine);
  const jar = await signInAsBrowser(keyed, mine);
  const device = createDevice();
  const addTheirs = (tx: Queryable) =>
    tx.run(sql`
      insert into identity_keys (identity_id, kind, rp_id, credential_id, public_key, counter, transports, backed_up, name, created_at)
      values (${other.id}, 'passkey', 'localhost', ${device.id}, '', 0, '{}', false, 'Passkey', now())`);
  const [reply] = await together(keyed, addTheirs, [
    () => addKey(keyed, jar, { device, kind: "passkey" }),
  ]);
  expect([reply!.status, reply!.data.ui.messages?.map(({ text }) => text)]).toEqual([
    400,
    ["This key belongs to an account already. Take another one."],
  ]);
  expect(await typesOf(keyed, id)).toEqual(["password"]);
});
