import { roles, type SecurityFact } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Config } from "#platform/config.ts";
import { openDatabase } from "#platform/db/database.ts";
import { howProgramsRun } from "#platform/outbound/how-programs-run.ts";
import { startTestApp, testDatabase, type TestApp } from "../../testing/app.ts";
import { createPerson } from "../../testing/people.ts";
import { collectStores } from "#platform/encrypted-stores.ts";
import { features } from "../../features.ts";
import { checkFacts } from "../health/security-facts.ts";
import { databaseFacts } from "./database-facts.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

const idsOf = (facts: readonly SecurityFact[]) => facts.map(({ id }) => id);

/** What is said of a server with these settings, on the one database. */
async function factsWith(changes: Partial<Config>): Promise<SecurityFact[]> {
  // The tests may run as anybody, and with scripts on.
  const config: Config = { ...app.app.ctx.config, exec: "auto", ...changes };
  const ctx = { ...app.app.ctx, config };
  const services = {
    config,
    address: () => config.publicUrl ?? "http://10.0.0.1:3100",
    encrypted: collectStores(features),
  };
  const said = features.flatMap((feature) => feature.security?.(ctx, services as never) ?? []);
  return (await Promise.all(said)).flat();
}

test("is for administrators", async () => {
  for (const role of roles) {
    const person = await createPerson(app, role);
    expect((await person.get("/api/security")).status).toBe(role === "admin" ? 200 : 403);
  }
  expect((await app.nobody.get("/api/security")).status).toBe(401);
});

test("names what weakens the server, the serious first", async () => {
  const { facts } = (await app.admin.get("/api/security")).json as { facts: SecurityFact[] };
  expect(idsOf(facts)).toContain("administrators.one.factor");
  const weights = facts.map(({ weight }) => weight);
  expect(weights).toEqual(weights.toSorted().toReversed());
});

describe("settings", () => {
  test.each<[string, Partial<Config>, Partial<Config>]>([
    ["http.readable", { host: "0.0.0.0" }, { host: "0.0.0.0", publicUrl: "https://a.example.org" }],
    ["http.readable", { publicUrl: "http://a.example.org" }, { publicUrl: "http://localhost:1" }],
    ["checker.write", { checkerOnly: true, checkerWrite: true }, { checkerWrite: true }],
    ["code.roles", { codeRoles: ["admin", "editor"] }, { codeRoles: ["admin"] }],
    ["proxy.wide", { trustProxy: ["10.0.0.0/8"] }, { trustProxy: ["10.0.0.1", "10.1.0.0/24"] }],
    ["proxy.wide", { trustProxy: ["uniquelocal"] }, { trustProxy: ["loopback", "127.0.0.0/8"] }],
    ["proxy.wide", { trustProxy: ["::/0"] }, { trustProxy: ["2001:db8::/64"] }],
    ["key.beside.data", { encryptionKey: undefined }, {}],
    ["addresses.allowed", { checkAllow: ["169.254.169.254"] }, {}],
    ["sockets.allowed", { socketDirs: ["/run/postgresql"] }, {}],
    ["registration.open", { registration: "open" }, { registration: "invite" }],
    [
      "registration.open",
      { registration: "open" },
      { registration: "open", identityUrl: "http://k" },
    ],
    ["code.without.mail", { signInByCode: true }, { signInByCode: true, smtpUrl: "smtp://mail" }],
    ["code.by.mail", { signInByCode: true, smtpUrl: "smtp://mail" }, { smtpUrl: "smtp://mail" }],
  ])("%s with %j, not with %j", async (id, weak, strong) => {
    expect(idsOf(await factsWith(weak))).toContain(id);
    expect(idsOf(await factsWith(strong))).not.toContain(id);
  });

  test("scripts that run as the server itself are told of, with whom that is", async () => {
    const { config } = app.app.ctx;
    const machine = { isRoot: false, userName: "ops", missing: [] };
    const told = (exec: Config["exec"], isRoot: boolean) =>
      checkFacts({ config }, howProgramsRun({ ...config, exec }, { ...machine, isRoot }));
    expect(await told("on", false)).toMatchObject([
      { id: "programs.same.user", state: expect.stringContaining("as the user ops") as string },
    ]);
    expect(await told("auto", false)).toEqual([]);
    expect(await told("on", true)).toEqual([]);
  });

  test("a superuser of the database is told of", async () => {
    const other = await testDatabase();
    const db = openDatabase({
      connection: other.superuser,
      applicationName: "test",
      onError: () => undefined,
    });
    try {
      expect(idsOf(await databaseFacts(db))).toEqual(["database.superuser"]);
      expect(await databaseFacts(other.db)).toEqual([]);
    } finally {
      await db.close();
      await other.drop();
    }
  });

  test("every fact is said in whole sentences, once, and names a setting that there is", async () => {
    const all = await factsWith({
      host: "0.0.0.0",
      checkerOnly: true,
      checkerWrite: true,
      codeRoles: ["admin", "editor"],
      trustProxy: ["0.0.0.0/0"],
      encryptionKey: undefined,
      checkAllow: ["10.0.0.0/8"],
      socketDirs: ["/run/a"],
      registration: "open",
      signInByCode: true,
    });
    expect(new Set(idsOf(all)).size).toBe(all.length);
    for (const { state, cost, remedy, title } of all) {
      expect(title).toMatch(/^[A-Z].*[^.]$/);
      for (const text of [state, cost, remedy]) expect(text).toMatch(/^[A-Z0-9].*\.$/);
    }
    expect(all.find(({ id }) => id === "proxy.wide")?.weight).toBe("serious");
  });
});

describe("what people have left undone", () => {
  const fact = async (id: string) => (await factsWith({})).find((found) => found.id === id);

  test("administrators without a second factor are counted", async () => {
    await app.db.run(sql`delete from identities where traits ->> 'email' like 'person-%'`);
    const careful = await createPerson(app, ["admin", "editor"]);
    await createPerson(app, "editor");
    expect((await fact("administrators.one.factor"))?.state).toBe(
      "2 administrators of 2 without a second factor.",
    );
    await app.db.run(sql`
      insert into identity_credentials (identity_id, type, config) values (${careful.id}, 'totp', '{}')`);
    expect((await fact("administrators.one.factor"))?.state).toBe(
      "1 administrator of 2 without a second factor.",
    );
    await app.db.run(sql`
      insert into identity_credentials (identity_id, type, config)
      select i.id, 'webauthn', '{}' from identities i join people_roles r on r.id = i.id
       where 'admin' = any(r.roles) and i.id <> ${careful.id}`);
    expect(await fact("administrators.one.factor")).toBeUndefined();
  });

  test("tokens without an end are counted", async () => {
    expect(await fact("tokens.forever")).toBeUndefined();
    for (const expires_at of [null, null, undefined])
      await app.admin.post("/api/auth/tokens", { name: `t${Math.random()}`, expires_at });
    expect((await fact("tokens.forever"))?.state).toBe("2 tokens of 1 person without an end.");
  });

  test("where nothing is weak, nothing is said", async () => {
    await app.db.run(sql`delete from access_tokens`);
    expect(await factsWith({})).toEqual([]);
  });
});
