import sql, { type Sql } from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { normalAddress } from "#platform/address.ts";
import type { Database } from "#platform/db/database.ts";
import { boundDatabase } from "#platform/events/bound-database.ts";
import { cleanUpIdentity } from "../clean-up.ts";
import { createFirstAdministrator } from "../create-first-administrator.ts";
import { createLocalSession } from "./create-local-session.ts";
import { createSessions, forgetSessions, hashToken } from "./sessions.ts";
import {
  type IdentityServer,
  PASSWORD,
  signInAsProgram,
  startIdentityServer,
} from "../testing/identity-server.ts";

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer();
});
afterAll(() => server.stop());

const run = (text: string, values: unknown[] = []) => server.db.raw(text, values);
const status = async (token: string) =>
  (await server.client.toSession({ xSessionToken: token })).status;

describe("the first administrator", () => {
  test("is not created where nobody signs in", async () => {
    const given = {
      adminEmail: normalAddress("admin@local")!,
      adminPassword: undefined,
      checkerOnly: true,
      identityUrl: undefined,
    };
    expect(await createFirstAdministrator(server.ctx, given)).toEqual({
      email: "admin@local",
      created: false,
    });
    expect((await run("select from identities")).rowCount).toBe(0);
  });

  test("is created once, with a password that is given out once and works", async () => {
    const given = {
      adminEmail: normalAddress("admin@local")!,
      adminPassword: undefined,
      checkerOnly: false,
      identityUrl: undefined,
    };
    const both = await Promise.all([
      createFirstAdministrator(server.ctx, given),
      createFirstAdministrator(server.ctx, given),
    ]);
    const [created, other] = both.toSorted(
      (left, right) => Number(right.created) - Number(left.created),
    );
    expect(created).toEqual({
      email: "admin@local",
      created: true,
      password: expect.stringMatching(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/),
    });
    expect(other).toEqual({ email: "admin@local", created: false });

    const { data: flow } = await server.client.createNativeLoginFlow({});
    const { data } = await server.client.updateLoginFlow({
      flow: flow.id,
      updateLoginFlowBody: {
        method: "password",
        identifier: "admin@local",
        password: created!.password!,
      },
    });
    const whoami = await fetch(`${server.url}/api/auth/whoami`, {
      headers: { "x-session-token": data.session_token! },
    });
    expect(await whoami.json()).toMatchObject({
      payload: { user: { name: "Admin", email: "admin@local" }, roles: ["admin"] },
    });
    const stored = await run("select config::text from identity_credentials");
    expect(JSON.stringify(stored.rows)).not.toContain(created!.password);
  });
});

test("only hashes of tokens are stored", async () => {
  await server.createPerson("hash@example.org");
  const token = await signInAsProgram(server, "hash@example.org");
  const { rows } = await run("select s::text as text from identity_sessions s");
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(token);
});

test("a session ends after a day however much it is used, and is seen once a minute", async () => {
  const own = await startIdentityServer();
  try {
    await own.createPerson("ada@example.org");
    const token = await signInAsProgram(own, "ada@example.org");
    const ask = async () => (await own.client.toSession({ xSessionToken: token })).status;
    const seen = async () =>
      (await own.db.raw("select last_seen_at from identity_sessions")).rows[0].last_seen_at as Date;
    const first = await seen();
    own.advance(30_000);
    forgetSessions(own.ctx);
    expect(await ask()).toBe(200);
    expect(await seen()).toEqual(first);
    own.advance(31_000);
    forgetSessions(own.ctx);
    expect(await ask()).toBe(200);
    expect((await seen()).getTime() - first.getTime()).toBeGreaterThanOrEqual(61_000);
    for (const hours of [10, 10]) {
      own.advance(hours * 3_600_000);
      expect(await ask()).toBe(200);
    }
    own.advance(4 * 3_600_000 - 62_000 - 5_000);
    expect(await ask()).toBe(200);
    own.advance(10_000);
    expect(await ask()).toBe(401);
  } finally {
    await own.stop();
  }
});

test("a session that is not used for half a day ends", async () => {
  const own = await startIdentityServer();
  try {
    await own.createPerson("ada@example.org");
    const token = await signInAsProgram(own, "ada@example.org");
    const ask = async () => (await own.client.toSession({ xSessionToken: token })).status;
    own.advance(12 * 3_600_000 - 10_000);
    expect(await ask()).toBe(200);
    own.advance(12 * 3_600_000 + 10_000);
    expect(await ask()).toBe(401);
  } finally {
    await own.stop();
  }
});

test.each([
  ["deactivating the identity", "update identities set state = 'inactive' where id = $1"],
  ["deleting the person", "update people set deleted_at = now() where id = $1"],
  ["deleting the identity", "delete from identities where id = $1"],
  ["revoking the session", "update identity_sessions set active = false where identity_id = $1"],
])("%s ends the session on every server within five seconds", async (name, statement) => {
  const email = `${name.replaceAll(" ", ".")}@example.org`;
  const { id } = await server.createPerson(email);
  const token = await signInAsProgram(server, email);
  expect(await status(token)).toBe(200);
  await run(statement, [id]);
  // As another server would have done it: this one still believes what it knows, but not for long.
  expect(await status(token)).toBe(200);
  server.advance(5_000);
  expect(await status(token)).toBe(401);
});

test("what was told to be forgotten is asked again at once", async () => {
  const { id } = await server.createPerson("forgotten@example.org");
  const token = await signInAsProgram(server, "forgotten@example.org");
  expect(await status(token)).toBe(200);
  await run("update identities set state = 'inactive' where id = $1", [id]);
  forgetSessions(server.ctx);
  expect(await status(token)).toBe(401);
});

test("what an event's handler forgets, requests ask again at once", async () => {
  const { id } = await server.createPerson("handled@example.org");
  const token = await signInAsProgram(server, "handled@example.org");
  expect(await status(token)).toBe(200);
  await server.db.transaction(async (tx) => {
    const handlers = server.ctx.with({ db: boundDatabase(server.db, tx) });
    await tx.run(sql`update identities set state = 'inactive' where id = ${id}`);
    forgetSessions(handlers);
  });
  expect(await status(token)).toBe(401);
});

test("a session that is revoked while it is being looked up is not kept", async () => {
  await server.createPerson("race@example.org");
  const token = await signInAsProgram(server, "race@example.org");
  const db: Database = {
    ...server.db,
    async first<Row extends object>(statement: Sql) {
      const row = await server.db.first<Row>(statement);
      await run("update identity_sessions set active = false where token_hash = $1", [
        hashToken(token),
      ]);
      sessions.forget();
      return row;
    },
  };
  const sessions = createSessions({ ...server.ctx, db });
  expect(await sessions.find(token)).toMatchObject({ person: { email: "race@example.org" } });
  expect(await sessions.find(token)).toBeUndefined();
});

test("a deactivated person learns it by the right password only", async () => {
  const { id } = await server.createPerson("off@example.org");
  await run("update identities set state = 'inactive' where id = $1", [id]);
  const said = async (password: string) => {
    const { data: flow } = await server.client.createNativeLoginFlow({});
    const { data } = await server.client.updateLoginFlow({
      flow: flow.id,
      updateLoginFlowBody: { method: "password", identifier: "off@example.org", password },
    });
    return (data as unknown as typeof flow).ui.messages![0];
  };
  expect(await said("wrong")).toMatchObject({ id: 4000006 });
  expect(await said(PASSWORD)).toMatchObject({
    id: 4000001,
    text: expect.stringContaining("deactivated"),
  });
});

test.each(["", "x", "x".repeat(43), "x".repeat(10_000), "a b", "'; drop table people; --"])(
  "token %j is nobody's",
  async (token) => {
    const reply = await fetch(`${server.url}/api/.ory/sessions/whoami`, {
      headers: { cookie: `ory_kratos_session=${encodeURIComponent(token)}` },
    });
    expect(reply.status).toBe(401);
  },
);

test("the command line's session is an administrator's until it is revoked", async () => {
  const local = await createLocalSession(server.ctx);
  const { data } = await server.client.toSession({ xSessionToken: local.token });
  expect(data).toMatchObject({
    identity: { traits: { email: "admin@local" } },
    devices: [{ user_agent: "command line" }],
  });
  expect(Date.parse(data.expires_at!) - server.ctx.clock.now().getTime()).toBeLessThanOrEqual(
    600_000,
  );
  await local.revoke();
  expect(await status(local.token)).toBe(401);
});

test("the command line's session is prolonged for as long as the server runs", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const local = await createLocalSession(server.ctx);
    for (let minutes = 0; minutes < 30; minutes += 3) {
      server.advance(180_000);
      vi.advanceTimersByTime(180_000);
      await vi.waitFor(async () => {
        const { rows } = await run(
          `select expires_at as until from identity_sessions
            where active and authentication_methods @> '[{"method": "local"}]'`,
        );
        const left =
          (rows[0] as { until: Date }).until.getTime() - server.ctx.clock.now().getTime();
        expect(left).toBeGreaterThan(590_000);
      });
    }
    expect(await status(local.token)).toBe(200);
    await local.revoke();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("without an active administrator there is no session for the command line", async () => {
  await run("update identities set state = 'inactive' where traits ->> 'email' = 'admin@local'");
  await expect(createLocalSession(server.ctx)).rejects.toMatchObject({ code: "unavailable" });
});

test("what ended a day ago is deleted, what lives or ended just now is kept", async () => {
  const own = await startIdentityServer();
  try {
    await own.createPerson("ada@example.org");
    await signInAsProgram(own, "ada@example.org");
    own.advance(26 * 3_600_000);
    await own.client.createNativeLoginFlow({});
    expect((await cleanUpIdentity.run(own.ctx)).details).toMatchObject({
      flows: 1,
      sessions: 0,
    });
    own.advance(24 * 3_600_000);
    const token = await signInAsProgram(own, "ada@example.org");
    expect((await cleanUpIdentity.run(own.ctx)).details).toMatchObject({ sessions: 1 });
    expect((await own.client.toSession({ xSessionToken: token })).status).toBe(200);
  } finally {
    await own.stop();
  }
});
