import { hashRaw } from "@node-rs/argon2";
import { MAX_TOKENS, narrowRoles, type Role, roles } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { basic, bearer, signInAs } from "./testing/people.ts";

let server: TestApp;
beforeAll(async () => {
  server = await startTestApp();
});
afterAll(() => server.stop());

const whoami = (headers: Record<string, string>) => server.nobody.get("/api/auth/whoami", headers);
const rolesOf = async (token: string) => (await whoami(bearer(token))).json.payload.roles as Role[];

describe("a personal token", () => {
  test("is shown once, acts for its owner, and is nowhere kept", async () => {
    const ada = await signInAs(server, "editor");
    const before = Date.now();
    const made = await ada.post("/api/auth/tokens", { name: "deploy" });
    expect(made.status).toBe(201);
    const { access_token: text, ...shown } = made.json;
    expect(text).toMatch(/^mst_[\w-]{43}\.[\w-]{16}\.1\.65536\.4$/);
    expect(shown).toMatchObject({
      name: "deploy",
      kind: "personal",
      person: { id: ada.id, name: "Ada Lovelace" },
      created_by: { id: ada.id },
      roles: null,
      effective_roles: ["editor"],
      last_used_at: null,
    });
    const days = (Date.parse(shown.expires_at) - before) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThan(90.1);

    for (const headers of [
      bearer(text),
      basic("token", text),
      { authorization: `bearer  ${text}` },
    ]) {
      const reply = await whoami(headers);
      expect(reply.status).toBe(200);
      expect(reply.json.payload).toMatchObject({ user: { id: ada.id }, roles: ["editor"] });
    }
    const { tokens } = (await ada.get("/api/auth/tokens")).json;
    expect(tokens).toEqual([{ ...shown, last_used_at: expect.any(String) }]);
    const kept = await server.db.first<{ row: string }>(
      sql`select to_jsonb(t)::text || coalesce((select string_agg(to_jsonb(a)::text, '') from audit_log a), '') as row
            from access_tokens t where id = ${shown.id}`,
    );
    const [password] = text.split(".");
    expect(kept!.row).not.toContain(password);
    expect(kept!.row).not.toContain(text);
  });

  test("has at most its owner's rights at the moment of use", async () => {
    const ada = await signInAs(server, "admin");
    const [unlimited, editor, viewer] = await Promise.all([
      ada.makeToken({ name: "a" }),
      ada.makeToken({ name: "b", roles: ["editor"] }),
      ada.makeToken({ name: "c", roles: ["viewer"] }),
    ]);
    const now = () => Promise.all([unlimited, editor, viewer].map((token) => rolesOf(token)));
    expect(await now()).toEqual([["admin"], ["editor"], ["viewer"]]);
    await ada.setRoles("commander");
    expect(await now()).toEqual([["commander"], ["commander"], ["viewer"]]);
    await ada.setRoles();
    expect(await now()).toEqual([["viewer"], ["viewer"], ["viewer"]]);
    await ada.setRoles("editor", "commander");
    expect(await now()).toEqual([["editor", "commander"], ["editor", "commander"], ["viewer"]]);
  });

  test.each(roles.flatMap((owner) => roles.map((limit) => [owner, limit] as const)))(
    "of a %s cannot be given %s beyond that",
    async (owner, limit) => {
      const person = await signInAs(server, owner);
      const made = await person.post("/api/auth/tokens", { name: "x", roles: [limit] });
      const isBelow = narrowRoles([owner], [limit]).includes(limit);
      expect(made.status).toBe(isBelow ? 201 : 403);
      if (isBelow) expect(await rolesOf(made.json.access_token)).toEqual([limit]);
    },
  );

  test("writes what its roles may write, and the record names it", async () => {
    const ada = await signInAs(server, "admin", "Grace Hopper");
    const strong = await ada.makeToken({ name: "flags of the pipeline" });
    const weak = await ada.makeToken({ name: "reader", roles: ["viewer"] });
    const body = { name: `flag-${ada.id}`, value: "on" };
    expect((await server.nobody.post("/api/db/properties", body, bearer(weak))).status).toBe(403);
    expect((await server.nobody.post("/api/db/properties", body, bearer(strong))).status).toBe(201);
    const recorded = await server.db.rows(sql`
      select actor_id, actor_name, token_name, verb from audit_log where row_id = ${body.name}`);
    expect(recorded).toEqual([
      {
        actor_id: ada.id,
        actor_name: "Grace Hopper",
        token_name: "flags of the pipeline",
        verb: "insert",
      },
    ]);
    const made = await server.db.rows<{ after: object; token_name: null }>(sql`
      select after, token_name from audit_log where table_name = 'access_tokens' and actor_id = ${ada.id}`);
    expect(made).toHaveLength(2);
    for (const { after, token_name } of made) {
      expect(Object.keys(after)).not.toContain("value");
      expect(Object.keys(after)).not.toContain("salt");
      expect(token_name).toBeNull();
    }
  });
});

describe("what is wrong is refused", () => {
  test.each([
    ["no such token", "mst_x.AAAAAAAAAAAAAAAA.1.65536.4"],
    ["a cost of the sender's choice", "mst_x.AAAAAAAAAAAAAAAA.1.999999999.4"],
    ["an endless one", `${"a".repeat(4000)}.AAAAAAAAAAAAAAAA.1.65536.4`],
    ["no password", ".AAAAAAAAAAAAAAAA.1.65536.4"],
    ["nothing", "x"],
  ])("%s", async (_what, text) => {
    expect((await whoami(bearer(text))).status).toBe(401);
    const reply = await whoami(basic("token", text));
    expect([reply.status, reply.json.error]).toEqual([400, "invalid access token"]);
  });

  test("a tampered one, whichever part", async () => {
    const ada = await signInAs(server, "viewer");
    const text = await ada.makeToken({ name: "x" });
    const [password, salt] = text.split(".") as [string, string];
    const flip = (part: string) => part.slice(0, -1) + (part.endsWith("A") ? "B" : "A");
    for (const wrong of [
      `${flip(password)}.${salt}`,
      `${password}.${flip(salt)}`,
      `${password}x.${salt}`,
    ]) {
      const reply = await whoami(bearer(`${wrong}.1.65536.4`));
      expect([reply.status, reply.json.error]).toEqual([401, "invalid access token"]);
    }
    expect((await whoami(bearer(text))).status).toBe(200);
  });

  test("with a good cookie beside it as well", async () => {
    const ada = await signInAs(server, "viewer");
    const cookie = `ory_kratos_session=${ada.token}`;
    expect((await whoami({ cookie })).status).toBe(200);
    expect((await whoami({ cookie, ...bearer("mst_x.AAAAAAAAAAAAAAAA.1.65536.4") })).status).toBe(
      401,
    );
  });

  test("an expired one, in its own words", async () => {
    const ada = await signInAs(server, "viewer");
    const text = await ada.makeToken({ name: "x" });
    expect((await whoami(bearer(text))).status).toBe(200);
    await server.db.run(
      sql`update access_tokens set expires_at = now() where person_id = ${ada.id}`,
    );
    for (const headers of [bearer(text), basic("token", text)]) {
      const reply = await whoami(headers);
      expect([reply.status, reply.json.error]).toEqual([401, "access token has expired"]);
    }
  });

  test("a revoked one, at once and for good", async () => {
    const ada = await signInAs(server, "viewer");
    const { id, access_token: text } = (await ada.post("/api/auth/tokens", { name: "x" })).json;
    expect((await whoami(bearer(text))).status).toBe(200);
    expect((await ada.delete(`/api/auth/tokens/${id}`)).status).toBe(204);
    expect((await whoami(bearer(text))).status).toBe(401);
    expect((await ada.delete(`/api/auth/tokens/${id}`)).status).toBe(404);
    expect((await ada.post("/api/auth/tokens", { name: "x" })).status).toBe(201);
  });

  test.each([
    ["deactivated", sql`update identities set state = 'inactive' where id = `],
    ["deleted", sql`delete from identities where id = `],
  ])("that of somebody who was %s", async (_what, statement) => {
    const ada = await signInAs(server, "editor");
    const text = await ada.makeToken({ name: "x" });
    expect((await whoami(bearer(text))).status).toBe(200);
    await server.db.run(sql`${statement}${ada.id}`);
    expect((await whoami(bearer(text))).status).toBe(401);
  });

  test.each(["access_token", "token", "authorization", "auth_token", "bearer"])(
    "in the address, as %s",
    async (name) => {
      const ada = await signInAs(server, "viewer");
      const text = await ada.makeToken({ name });
      const reply = await server.nobody.get(`/api/auth/whoami?${name}=${encodeURIComponent(text)}`);
      expect(reply.status).toBe(401);
    },
  );

  test("Basic from another site's page; a bearer token cannot come from there", async () => {
    const ada = await signInAs(server, "editor");
    const text = await ada.makeToken({ name: "x" });
    const foreign = { origin: "https://evil.example.org", "sec-fetch-site": "cross-site" };
    const write = (headers: Record<string, string>) =>
      server.nobody.post("/api/db/properties", { name: crypto.randomUUID(), value: "1" }, headers);
    expect((await write({ ...foreign, ...basic("token", text) })).status).toBe(403);
    expect((await write(basic("token", text))).status).toBe(201);
    expect((await write({ ...foreign, ...bearer(text) })).status).toBe(201);
    const cookie = `ory_kratos_session=${ada.token}`;
    expect((await write({ ...foreign, cookie })).status).toBe(403);
  });

  test("guesses with a known salt, after a while, without the right one being lost to its owner's other texts", async () => {
    const ada = await signInAs(server, "viewer");
    const text = await ada.makeToken({ name: "x" });
    expect((await whoami(bearer(text))).status).toBe(200);
    const salt = text.split(".")[1];
    const statuses = new Set<number>();
    for (let guess = 0; guess < 40; guess += 1)
      statuses.add((await whoami(bearer(`mst_${guess}.${salt}.1.65536.4`))).status);
    expect([...statuses]).toEqual([401, 429]);
    // Known by now, it is not checked the slow way again.
    expect((await whoami(bearer(text))).status).toBe(200);
  });
});

describe("managing tokens", () => {
  test("is not done with a token", async () => {
    const ada = await signInAs(server, "admin");
    const text = await ada.makeToken({ name: "x", roles: ["viewer"] });
    const { tokens } = (await ada.get("/api/auth/tokens")).json;
    const replies = await Promise.all([
      server.nobody.get("/api/auth/tokens", bearer(text)),
      server.nobody.post("/api/auth/tokens", { name: "y" }, bearer(text)),
      server.nobody.delete(`/api/auth/tokens/${tokens[0].id}`, bearer(text)),
      server.nobody.get("/api/kubeconfig", bearer(text)),
      server.nobody.post("/api/kubeconfig", {}, bearer(text)),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  });

  test("needs a session", async () => {
    for (const [method, path] of [
      ["GET", "/api/auth/tokens"],
      ["POST", "/api/auth/tokens"],
      ["DELETE", `/api/auth/tokens/${crypto.randomUUID()}`],
      ["GET", "/api/kubeconfig"],
      ["POST", "/api/kubeconfig"],
    ] as const)
      expect((await server.nobody.request(method, path)).status).toBe(401);
  });

  test("another's do not exist, but for administrators", async () => {
    const ada = await signInAs(server, "editor");
    const eve = await signInAs(server, "editor", "Eve Elsewhere");
    const { id } = (await ada.post("/api/auth/tokens", { name: "x" })).json;
    expect((await eve.get("/api/auth/tokens")).json.tokens).toEqual([]);
    expect((await eve.delete(`/api/auth/tokens/${id}`)).status).toBe(404);
    const all = await server.admin.get("/api/auth/tokens?all=true");
    expect(all.json.tokens.map((token: { id: string }) => token.id)).toContain(id);
    expect((await server.admin.delete(`/api/auth/tokens/${id}`)).status).toBe(204);
  });

  test.each<[Role, number]>([
    ["admin", 200],
    ["editor", 200],
    ["commander", 403],
    ["viewer", 403],
  ])("everybody's are listed to a %s: %i", async (role, status) => {
    const person = await signInAs(server, role);
    expect((await person.get("/api/auth/tokens?all=true")).status).toBe(status);
  });

  test.each([
    ["no name", {}],
    ["an empty name", { name: "  " }],
    ["a name without end", { name: "x".repeat(101) }],
    ["a name with a line break", { name: "a\nb" }],
    ["half a character", { name: "a\ud800" }],
    ["a time that has passed", { name: "x", expires_at: "2020-01-01T00:00:00Z" }],
    ["no time", { name: "x", expires_at: "soon" }],
    ["no roles", { name: "x", roles: [] }],
    ["no such role", { name: "x", roles: ["root"] }],
    ["no such kind", { name: "x", kind: "agent" }],
    ["a service without roles", { name: "x", kind: "service" }],
  ])("%s is refused", async (_what, body) => {
    expect((await server.admin.post("/api/auth/tokens", body)).status).toBe(400);
  });

  test("names are one's own to choose, once, in every script", async () => {
    const ada = await signInAs(server, "viewer");
    for (const name of ["Ключ", "鍵 🔑", "'; drop table people; --"])
      expect((await ada.post("/api/auth/tokens", { name })).json.name).toBe(name);
    const again = await ada.post("/api/auth/tokens", { name: "Ключ" });
    expect(again.status).toBe(409);
    const eve = await signInAs(server, "viewer");
    expect((await eve.post("/api/auth/tokens", { name: "Ключ" })).status).toBe(201);
  });

  test("never is asked for by null", async () => {
    const ada = await signInAs(server, "viewer");
    const { json } = await ada.post("/api/auth/tokens", { name: "x", expires_at: null });
    expect(json.expires_at).toBeNull();
    expect((await whoami(bearer(json.access_token))).status).toBe(200);
  });

  test("there is an end to how many", async () => {
    const ada = await signInAs(server, "viewer");
    await server.db.run(sql`
      insert into access_tokens (name, person_id, value) select n::text, ${ada.id}, '' from generate_series(1, ${MAX_TOKENS - 1}) n`);
    const two = await Promise.all(["a", "b"].map((name) => ada.post("/api/auth/tokens", { name })));
    expect(two.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    await server.db.run(sql`delete from access_tokens where person_id = ${ada.id}`);
  });
});

describe("a service token", () => {
  test("acts for a service of its own, which ends with it", async () => {
    const boss = await signInAs(server, "admin");
    const {
      id,
      access_token: text,
      person,
    } = (await boss.post("/api/auth/tokens", { name: "ci", kind: "service", roles: ["editor"] }))
      .json;
    expect(person.id).not.toBe(boss.id);
    expect((await whoami(bearer(text))).json.payload).toMatchObject({
      user: { id: person.id, name: "ci", type: "service" },
      roles: ["editor"],
    });
    // Whoever set it up may leave.
    await server.db.run(sql`delete from identities where id = ${boss.id}`);
    expect((await whoami(bearer(text))).status).toBe(200);
    expect((await server.admin.delete(`/api/auth/tokens/${id}`)).status).toBe(204);
    expect((await whoami(bearer(text))).status).toBe(401);
    const left = await server.db.first(
      sql`select deleted_at is not null as gone from people where id = ${person.id}`,
    );
    expect(left).toEqual({ gone: true });
  });

  test.each<[Role, number]>([
    ["editor", 403],
    ["viewer", 403],
  ])("is not a %s's to make: %i", async (role, status) => {
    const person = await signInAs(server, role);
    const body = { name: "own", kind: "service", roles: ["viewer"] };
    expect((await person.post("/api/auth/tokens", body)).status).toBe(status);
  });
});

test("a token of the reference's database works, and is found faster from then on", async () => {
  const ada = await signInAs(server, "viewer");
  // argon2id("password", "c2FsdHNhbHRzYWx0", t=1, m=64 MiB, p=4, 20 bytes)
  const raw = await hashRaw("password", {
    salt: Buffer.from("c2FsdHNhbHRzYWx0"),
    timeCost: 1,
    memoryCost: 65_536,
    parallelism: 4,
    outputLen: 20,
  });
  const value = `${raw.toString("base64url")}=`;
  await server.db.run(
    sql`insert into access_tokens (name, person_id, value) values ('agent-1700000000', ${ada.id}, ${value})`,
  );
  const text = "password.c2FsdHNhbHRzYWx0.1.65536.4";
  expect((await whoami(basic("token", text))).json.payload.user.id).toBe(ada.id);
  const row = await server.db.first(
    sql`select salt from access_tokens where person_id = ${ada.id}`,
  );
  expect(row).toEqual({ salt: "c2FsdHNhbHRzYWx0" });
});
