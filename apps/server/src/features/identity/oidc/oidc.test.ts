import sql from "sql-template-tag";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  CookieJar,
  csrfTokenOf,
  type IdentityServer,
  signInAsBrowser,
} from "../testing/identity-server.ts";
import {
  account,
  CALLBACK,
  comeBack,
  go,
  type Kind,
  leave,
  provider,
  rolesOf,
  said,
  start,
  startProvider,
  whoIs,
} from "../testing/oidc-browser.ts";

let server: IdentityServer;
beforeAll(async () => {
  await startProvider();
  server = await start({ registration: "open" });
  // The first person of all would become administrator.
  await server.createPerson("first@example.org", "admin");
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});
beforeEach(() => provider.setAway(false));
afterEach(() => {
  provider.tamper = undefined;
  provider.isTerse = false;
});

describe("the form", () => {
  test("offers the providers to browsers, and not to programs", async () => {
    const { data: flow } = await server.client.createBrowserLoginFlow();
    const buttons = flow.ui.nodes.filter(({ group }) => group === "oidc");
    expect(buttons).toMatchObject([
      {
        type: "input",
        attributes: { name: "provider", type: "submit", value: "acme" },
        meta: { label: { id: 1010002, text: "Sign in with Acme" } },
      },
      { attributes: { value: "other" }, meta: { label: { text: "Sign in with other" } } },
    ]);
    const { data: native } = await server.client.createNativeLoginFlow();
    expect(native.ui.nodes.filter(({ group }) => group === "oidc")).toEqual([]);
  });

  test("of a page without scripts leads there, with what PKCE, state and nonce ask for", async () => {
    const jar = new CookieJar();
    const { data: flow } = jar.keep(await server.client.createBrowserLoginFlow());
    const reply = await fetch(`${server.url}/api/.ory/self-service/login?flow=${flow.id}`, {
      method: "POST",
      redirect: "manual",
      headers: {
        accept: "text/html",
        "content-type": "application/x-www-form-urlencoded",
        cookie: jar.toString(),
      },
      body: new URLSearchParams({
        provider: "acme",
        csrf_token: csrfTokenOf(flow),
        identifier: "",
        password: "",
      }).toString(),
    });
    expect(reply.status).toBe(303);
    const { origin, searchParams } = new URL(reply.headers.get("location")!);
    expect(origin).toBe(provider.issuer);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: "mainstay",
      redirect_uri: `${CALLBACK}/acme`,
      response_type: "code",
      scope: "openid email profile",
      state: expect.stringMatching(new RegExp(`^login\\.${flow.id}\\.[\\w-]{43}$`)),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
    // What proves the browser's return is not readable in the database.
    const kept = await server.db.first<{ state: string }>(
      sql`select state::text from identity_flows where id = ${flow.id}`,
    );
    expect(kept!.state).not.toContain(searchParams.get("nonce")!);
  });

  test("of a provider that is away says so; one that there is not is refused", async () => {
    const fresh = await start({}, { issuer_url: "http://127.0.0.1:1" });
    try {
      await expect(leave(fresh, "login")).rejects.toThrow(/Acme cannot be reached at the moment/);
      await expect(leave(fresh, "login", { id: "nobody" })).rejects.toThrow(/cannot sign you in/);
    } finally {
      await fresh.stop();
    }
  });
});

describe("signing up", () => {
  test.each<Kind>(["login", "registration"])("somebody new from the %s form", async (kind) => {
    const subject = account({ groups: ["ops", "tea"] });
    const query = "?return_to=/health";
    const { jar, status, location } = await go(server, kind, { query });
    expect([status, location]).toEqual([303, "/health"]);
    const session = (await whoIs(server, jar))!;
    expect(session.identity.traits).toEqual({
      email: `${subject}@example.org`,
      name: { first: "Ada", last: "Lovelace" },
    });
    expect(session.authentication_methods).toMatchObject([{ method: "oidc", provider: "acme" }]);
    expect(
      await server.db.rows(
        sql`select verified from identity_addresses where identity_id = ${session.identity.id}`,
      ),
    ).toEqual([{ verified: true }]);
    expect(await rolesOf(server, session.identity.id)).toEqual(["editor"]);

    // From then on they are known, whatever their address there is.
    provider.accounts.set(subject, {
      email: "moved@example.org",
      email_verified: true,
      groups: [],
    });
    const again = await go(server, "login");
    expect((await whoIs(server, again.jar))!.identity.id).toBe(session.identity.id);
    expect(await rolesOf(server, session.identity.id)).toEqual([]);
  });

  test("is not possible where it is closed or by invitation, but for who was invited", async () => {
    const invited = await start({ registration: "invite" });
    try {
      await invited.createPerson("first@example.org", "admin");
      account();
      const stranger = await go(invited, "login");
      expect(await said(invited, stranger)).toMatch(
        /^There is no account here for yours at Acme\. Accounts are made by invitation/,
      );
      expect(await whoIs(invited, stranger.jar)).toBeUndefined();

      const { id } = (await invited.db.first<{ id: string }>(sql`
        insert into identities (traits) values ('{"email": "new@example.org"}') returning id`))!;
      account({ email: "new@example.org", email_verified: false });
      const unproven = await go(invited, "login");
      expect(await said(invited, unproven)).toMatch(/^There is no account here for yours/);
      account({ email: "New@Example.ORG" });
      const { jar } = await go(invited, "login");
      expect((await whoIs(invited, jar))!.identity.id).toBe(id);
    } finally {
      await invited.stop();
    }
  });

  test("makes the very first person an administrator", async () => {
    const empty = await start({ registration: "closed" });
    try {
      account();
      const { jar } = await go(empty, "login");
      const { identity } = (await whoIs(empty, jar))!;
      expect(await rolesOf(empty, identity.id)).toEqual(["admin"]);
    } finally {
      await empty.stop();
    }
  });

  test("with what the provider tells only when it is asked", async () => {
    provider.isTerse = true;
    const subject = account({ groups: ["ops"] });
    const { jar } = await go(server, "login");
    const { identity } = (await whoIs(server, jar))!;
    expect(identity.traits.email).toBe(`${subject}@example.org`);
    expect(await rolesOf(server, identity.id)).toEqual(["editor"]);
    expect(provider.asked).toContain("/me");
  });

  test("without an address it is refused, with words", async () => {
    for (const email of [undefined, "no address", "a\u0000@example.org"]) {
      account({ email });
      expect(await said(server, await go(server, "registration"))).toMatch(
        /did not tell your e-mail address/,
      );
    }
  });

  test.each([
    [
      "in every script",
      { given_name: "Ἀδα", family_name: "洛夫莱斯 🦀" },
      { first: "Ἀδα", last: "洛夫莱斯 🦀" },
    ],
    [
      "as one",
      { given_name: undefined, family_name: undefined, name: "Ada King Lovelace" },
      { first: "Ada", last: "King Lovelace" },
    ],
    [
      "that cannot be kept",
      { given_name: "A\u0000", family_name: 7, name: {} },
      { first: expect.any(String), last: "" },
    ],
    ["without end", { given_name: "x".repeat(5000) }, { first: "x".repeat(100), last: "Lovelace" }],
  ])("names %s", async (_what, claims, name) => {
    account(claims);
    const { jar } = await go(server, "login");
    expect((await whoIs(server, jar))!.identity.traits.name).toEqual(name);
  });
});

describe("an address that has an account", () => {
  test("is not enough: they sign in as before and link it", async () => {
    await server.createPerson("taken@example.org");
    account({ email: "taken@example.org" });
    for (const kind of ["login", "registration"] as const) {
      const back = await go(server, kind);
      expect(await said(server, back)).toBe(
        "An account with this e-mail address exists already. Sign in to it as before, then link Acme in your profile.",
      );
      expect(await whoIs(server, back.jar)).toBeUndefined();
    }
  });

  test("is enough where the provider is trusted with that, once it is verified", async () => {
    const trusting = await start({}, { link_by_email: true });
    try {
      const { id } = await trusting.createPerson("ada@example.org");
      account({ email: "ADA@example.org", email_verified: false });
      expect(await whoIs(trusting, (await go(trusting, "login")).jar)).toBeUndefined();
      account({ email: "ADA@example.org" });
      expect((await whoIs(trusting, (await go(trusting, "login")).jar))!.identity.id).toBe(id);

      // Somebody who has typed in an address that is not theirs, and waits for its owner.
      const squatter = await trusting.createPerson("squatter@example.org");
      await signInAsBrowser(trusting, "squatter@example.org");
      await trusting.db.run(sql`
        update identities set traits = traits || '{"email": "boss@example.org"}' where id = ${squatter.id}`);
      account({ email: "boss@example.org", groups: ["root"] });
      const back = await go(trusting, "login");
      expect(await said(trusting, back)).toMatch(/exists already/);
      expect(await whoIs(trusting, back.jar)).toBeUndefined();
      expect(await rolesOf(trusting, squatter.id)).toEqual([]);
      await trusting.db.run(
        sql`delete from identity_credentials where identity_id = ${squatter.id}`,
      );
      expect(await whoIs(trusting, (await go(trusting, "login")).jar)).toBeUndefined();
      await trusting.db.run(
        sql`update identity_addresses set verified = true, verified_at = now(), status = 'completed' where identity_id = ${squatter.id}`,
      );
      expect((await whoIs(trusting, (await go(trusting, "login")).jar))!.identity.id).toBe(
        squatter.id,
      );
    } finally {
      await trusting.stop();
    }
  });

  test("of somebody who was deactivated lets nobody in", async () => {
    account();
    const { jar } = await go(server, "login");
    const { identity } = (await whoIs(server, jar))!;
    await server.db.run(sql`update identities set state = 'inactive' where id = ${identity.id}`);
    expect(await said(server, await go(server, "login"))).toMatch(/deactivated/);
  });
});

describe("linking and unlinking", () => {
  test("in the profile, both ways, with what the claims bring", async () => {
    const email = `${crypto.randomUUID()}@example.org`;
    const { id } = await server.createPerson(email, "viewer");
    const jar = await signInAsBrowser(server, email);
    account({ groups: ["root"] });
    const linked = await go(server, "settings", { jar });
    expect(await said(server, linked)).toBe("Your changes have been saved!");
    expect(await rolesOf(server, id)).toEqual(["admin", "viewer"]);
    expect((await whoIs(server, (await go(server, "login")).jar))!.identity.id).toBe(id);

    const again = await go(server, "settings", { jar });
    expect(await said(server, again)).toMatch(/have linked an account at Acme already/);
    await expect(leave(server, "settings", { jar, field: "unlink" })).rejects.toThrow(
      /^not sent away: 200/,
    );
    expect(await rolesOf(server, id)).toEqual(["viewer"]);
    provider.subject = account();
    await expect(leave(server, "settings", { jar, field: "unlink" })).rejects.toThrow(
      /cannot change your settings/,
    );
  });

  test("an account that is somebody else's is refused", async () => {
    account();
    await go(server, "login");
    const email = `${crypto.randomUUID()}@example.org`;
    await server.createPerson(email);
    const jar = await signInAsBrowser(server, email);
    const back = await go(server, "settings", { jar });
    expect(await said(server, back)).toBe(
      "This account at Acme is linked to another account here.",
    );
  });

  test("the only way to sign in stays", async () => {
    account();
    const { jar } = await go(server, "login");
    await expect(leave(server, "settings", { jar, field: "unlink" })).rejects.toThrow(
      /only way to sign in/,
    );
  });

  test("an old session has to be confirmed first, and can be with the provider", async () => {
    const old = await start({ registration: "open" });
    try {
      account();
      const { jar } = await go(old, "login");
      const id = (await whoIs(old, jar))!.identity.id;
      old.advance(60 * 60 * 1000);
      await expect(leave(old, "settings", { jar, id: "other" })).rejects.toThrow(
        /session_refresh_required/,
      );
      // As somebody else it does not count.
      const own = provider.subject;
      account();
      const wrong = await go(old, "login", { jar, query: "?refresh=true" });
      expect(await said(old, wrong)).toMatch(/came back from Acme as somebody else/);
      provider.subject = own;
      const left = await leave(old, "login", { jar, query: "?refresh=true" });
      expect(new URL(left.address).searchParams.get("prompt")).toBe("login");
      await comeBack(old, jar, await provider.visit(left.address));
      expect((await whoIs(old, jar))!.identity.id).toBe(id);
      await leave(old, "settings", { jar, id: "other" });
    } finally {
      await old.stop();
    }
  });

  test("the last administrator stays one, whatever the claims say", async () => {
    const small = await start({ registration: "open" });
    try {
      account({ groups: ["root"] });
      const subject = provider.subject!;
      const { jar } = await go(small, "login");
      const { id } = (await whoIs(small, jar))!.identity;
      provider.accounts.set(subject, { ...provider.accounts.get(subject), groups: [] });
      await small.db.run(
        sql`update identity_credentials set config = jsonb_set(config, '{roles}', '["admin"]')`,
      );
      await go(small, "login");
      expect(await rolesOf(small, id)).toEqual(["admin"]);
    } finally {
      await small.stop();
    }
  });
});

test("claims may bring teams, which are never left by them", async () => {
  const teamed = await start(
    { registration: "open" },
    { roles: "{'role': 'responder', 'teams': claims.groups}" },
  );
  try {
    const { id: boss } = await teamed.createPerson("boss@example.org", "admin");
    await teamed.db.run(
      sql`insert into teams (name, created_by) values ('ops', ${boss}), ('tea', ${boss})`,
    );
    const subject = account({ groups: ["ops", "none"] });
    const { jar } = await go(teamed, "login");
    const { id } = (await whoIs(teamed, jar))!.identity;
    provider.accounts.set(subject, { ...provider.accounts.get(subject), groups: ["tea"] });
    await go(teamed, "login");
    const joined = await teamed.db.rows<{ name: string }>(sql`
      select name from team_members join teams on id = team_id where person_id = ${id} order by name`);
    expect(joined.map(({ name }) => name)).toEqual(["ops", "tea"]);
    expect(await rolesOf(teamed, id)).toEqual(["responder"]);
  } finally {
    await teamed.stop();
  }
});

test("a second factor is asked for after the first one elsewhere", async () => {
  account();
  const { jar } = await go(server, "login");
  const { id } = (await whoIs(server, jar))!.identity;
  await server.db.run(
    sql`insert into identity_credentials (identity_id, type, config) values (${id}, 'totp', '{}')`,
  );
  const again = await go(server, "login");
  expect(await whoIs(server, again.jar)).toBeUndefined();
  const refused = await fetch(`${server.url}/api/.ory/sessions/whoami`, {
    headers: { cookie: again.jar.toString() },
  });
  expect(refused.status).toBe(403);
});
