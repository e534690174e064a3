import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { lockRoles } from "#features/roles/index.ts";
import type { Queryable } from "#platform/db/database.ts";
import {
  account,
  go,
  leave,
  provider,
  start,
  startProvider,
  whoIs,
} from "./testing/oidc-browser.ts";
import { type CookieJar, type IdentityServer, signInAsBrowser } from "./testing/identity-server.ts";
import {
  addKey,
  changeSettings,
  createDevice,
  messageIds,
  openSettings,
  startFactorServer,
} from "./testing/second-factors.ts";

/** Two changes at the same moment, each of which would be fine alone, leave nobody locked out. */

let linked: IdentityServer;
let keyed: IdentityServer;
beforeAll(async () => {
  await startProvider();
  linked = await start({ registration: "open" });
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
    await vi.waitFor(
      async () => {
        const waiting = await tx.first<{ n: number }>(sql`
          select count(distinct l.pid) as n from pg_locks l join pg_stat_activity a on a.pid = l.pid
           where a.datname = current_database() and not l.granted`);
        expect(waiting).toEqual({ n: requests.length });
      },
      { timeout: 10_000, interval: 10 },
    );
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
