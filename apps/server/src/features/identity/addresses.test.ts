import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sample } from "@mainstay/testkit/sample.ts";
import fc from "fast-check";
import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { normalAddress } from "#platform/address.ts";
import { spellings } from "#platform/testing/spellings.ts";
import { bringAddresses } from "./bring-addresses.ts";
import { createIdentityFor } from "./create-identity.ts";
import { signInLimits } from "./password/attempt-limits.ts";
import { fieldIds, type Kind, messageIds, Walker } from "./testing/flows.ts";
import {
  type IdentityServer,
  PASSWORD,
  signInAsProgram,
  startIdentityServer,
} from "./testing/identity-server.ts";

/** However an address is written, it is one account and one throttle, or none: by every way in. */

const FEATURES = join(import.meta.dirname, "..");
const INVALID = 4000004;
const TOO_MANY = 4000001;
const ACCOUNTS = [...new Set(spellings.flatMap(([, , is]) => is ?? []))];
/** What those that are none are meant to be taken for. */
const MEANT = [
  "admin@example.org",
  "address@example.org",
  "fine@example.org",
  "admin2@example.org",
];

let server: IdentityServer;
let boss: Record<string, string>;
let eve: { id: string; token: string };
const ids = new Map<string, string>();
beforeAll(async () => {
  // Mail waits to be sent.
  const mailing = {
    smtpUrl: "smtp://127.0.0.1:1",
    signInByCode: true,
    registration: "open" as const,
  };
  server = await startIdentityServer(mailing, undefined, { works: false });
  await server.createPerson("boss@example.net", "admin");
  boss = { "x-session-token": await signInAsProgram(server, "boss@example.net") };
  const { id } = await server.createPerson("eve@example.net");
  eve = { id, token: await signInAsProgram(server, "eve@example.net") };
  for (const email of new Set([...ACCOUNTS, ...MEANT]))
    ids.set(email, (await server.createPerson(email)).id);
});
afterAll(() => server.stop());

// All come from one network, which opens a form every 200 ms in the long run: each test begins so much later.
const realNow = performance.now.bind(performance);
let later = 0;
beforeEach(() => {
  later += 10_000;
  vi.spyOn(performance, "now").mockImplementation(() => realNow() + later);
});
afterAll(() => void vi.restoreAllMocks());

async function ask(path: string, headers: Record<string, string>, body?: object) {
  const reply = await fetch(server.url + path, {
    method: body ? "POST" : "GET",
    headers: { ...headers, "content-type": "application/json" },
    body: body ? JSON.stringify(body) : null,
  });
  return reply.status;
}

async function signIn(identifier: string) {
  const { data: flow } = await server.client.createNativeLoginFlow();
  return await server.client.updateLoginFlow({
    flow: flow.id,
    updateLoginFlowBody: { method: "password", identifier, password: PASSWORD },
  });
}

// What cannot be sent as JSON and text is the limiter's and the normal form's own.
const sendable = spellings.filter(([, spelling]) => spelling.isWellFormed());

describe.for(sample(sendable, 24))("%s: %j", ([, spelling, is]) => {
  test("signs in to that account or to none", async () => {
    const { status, data } = await signIn(spelling);
    expect([status, data.session?.identity?.id]).toEqual(
      is ? [200, ids.get(is)] : [400, undefined],
    );
    const authorization = `Basic ${Buffer.from(`${spelling}:${PASSWORD}`).toString("base64")}`;
    expect(await ask("/api/auth/whoami", { authorization })).toSatisfy((answer) =>
      is ? answer === 200 : [401, 429].includes(answer as number),
    );
  });

  test("is counted with it", async () => {
    if (!is) return expect(ids.has(spelling)).toBe(false);
    const limits = server.ctx.service(signInLimits);
    const tries = Array.from({ length: 10 }, () => limits.take("127.0.0.1", is));
    try {
      expect(tries).toEqual(tries.map(() => 0));
      const { status, data } = await signIn(spelling);
      const said = (data as { ui?: { messages?: { id: number }[] } }).ui?.messages;
      expect([status, said?.map(({ id }) => id)]).toEqual([400, [TOO_MANY]]);
    } finally {
      for (const _ of tries) limits.giveBack("127.0.0.1", is);
    }
  });

  test("has its codes sent there or nowhere", async () => {
    const fields: Partial<Record<Kind, Record<string, unknown>>> = {
      login: { method: "code", identifier: spelling },
      recovery: { method: "code", email: spelling },
      verification: { method: "code", email: spelling },
      registration: {
        method: "password",
        password: "seven green bottles",
        traits: { email: spelling, name: { first: "Grace", last: "Hopper" } },
      },
    };
    for (const [kind, sent] of Object.entries(fields) as [Kind, Record<string, unknown>][]) {
      const walker = new Walker(server);
      const { body: flow } = await walker.begin(kind);
      const { body } = await walker.send(kind, flow, sent);
      const field =
        { login: "identifier", registration: "traits.email" }[kind as string] ?? "email";
      const kept = await server.db.first<{ address: string | null }>(
        sql`select state #>> '{kept,code,address}' as address from identity_flows where id = ${flow.id}`,
      );
      if (is) {
        const isThrottled = messageIds(body).includes(TOO_MANY);
        expect([kind, kept?.address === is || isThrottled]).toEqual([kind, true]);
      } else {
        expect([kind, fieldIds(body, field), kept?.address]).toEqual([kind, [INVALID], null]);
      }
    }
  });

  test("is given to nobody else", async () => {
    const somebody = { firstName: "Eve", lastName: "Else", email: spelling };
    expect(await ask("/api/auth/invite_user", boss, somebody)).toBe(is ? 409 : 400);
    expect(await ask("/api/people/update", boss, { id: eve.id, ...somebody })).toBe(is ? 409 : 400);
    const address = normalAddress(spelling);
    if (address)
      await expect(createIdentityFor(server.db, { email: address })).rejects.toMatchObject({
        code: "23505",
      });
  });

  test("is not taken over in the profile", async () => {
    const walker = new Walker(server, { isProgram: true });
    walker.token = eve.token;
    const { body: flow } = await walker.begin("settings");
    const { status, body } = await walker.send("settings", flow, {
      method: "profile",
      traits: { email: spelling, name: { first: "Eve", last: "Else" } },
    });
    expect([status, fieldIds(body, "traits.email").length]).toEqual([400, 1]);
  });
});

describe("the database", () => {
  const anyLocal = fc
    .array(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 2 }),
        fc.string({ unit: "grapheme", maxLength: 2 }),
      ),
      {
        minLength: 1,
        maxLength: 6,
      },
    )
    .map((parts) => parts.join(""));

  test("agrees that it is one form, composed and in small letters", async () => {
    const seen = fc
      .sample(anyLocal, { numRuns: 4_000, seed: 15 })
      .flatMap((local) => normalAddress(`${local}@example.org`) ?? []);
    expect(seen.length).toBeGreaterThan(300);
    const differing = await server.db.rows(sql`
      select a from unnest(${[...new Set<string>(seen)]}::text[]) a
       where a is not nfkc normalized or translate(lower(a collate "pg_c_utf8"), 'ς', 'σ') <> a`);
    expect(differing).toEqual([]);
  });

  test("takes for one what the program takes for one, and no other", async () => {
    const locals = fc.sample(anyLocal, { numRuns: 300, seed: 16 });
    const typed = locals.flatMap((local) => [local, local.toUpperCase(), local.normalize("NFD")]);
    const stored = new Set<string>();
    for (const [index, local] of typed.entries()) {
      const address = normalAddress(`${local}@random.example`);
      if (!address) continue;
      const written = createIdentityFor(server.db, { email: address, name: { first: `${index}` } });
      if (stored.has(address)) await expect(written).rejects.toMatchObject({ code: "23505" });
      else await expect(written).resolves.toBeDefined();
      stored.add(address);
    }
    expect(stored.size).toBeGreaterThan(20);
  });

  test("is asked about addresses as they are, nowhere by its own idea of letters", async () => {
    const { rows } = await server.db.raw(`
      select indexdef from pg_indexes where schemaname = 'public'
        and tablename in ('identities', 'people', 'identity_addresses', 'identity_codes') and indexdef ~* 'lower|citext'`);
    expect(rows).toEqual([]);
    const files = globSync("{identity,people,hosted,tokens,teams,roles}/**/*.{ts,sql}", {
      cwd: FEATURES,
    });
    const texts = files
      .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
      .map((file) => [file, readFileSync(join(FEATURES, file), "utf8")] as const);
    expect(texts.length).toBeGreaterThan(80);
    expect(
      texts.filter(([, text]) => /\b(lower|upper|initcap|citext)\(|\bi?like \$|ilike/i.test(text)),
    ).toEqual([]);
  });
});

describe("an upgrade", () => {
  const stored = async (email: string, more: { verified?: boolean; age?: number } = {}) => {
    const { rows } = await server.db.raw(
      "insert into identities (traits) values (jsonb_build_object('email', $1::text)) returning id",
      [email],
    );
    const { id } = rows[0] as { id: string };
    if (more.verified)
      await server.db.run(
        sql`update identity_addresses set verified = true, verified_at = now(), status = 'completed' where identity_id = ${id}`,
      );
    if (more.age)
      await server.db.run(
        sql`update people set created_at = now() - ${more.age} * interval '1 day' where id = ${id}`,
      );
    return id;
  };
  const isNow = (id: string) =>
    server.db.first<{ trait: string; email: string; verified: boolean | null }>(sql`
      select i.traits ->> 'email' as trait, p.email, a.verified
        from people p left join identities i on i.id = p.id left join identity_addresses a on a.identity_id = p.id
       where p.id = ${id}`);

  test("brings what is stored to the form, with whether it was verified and what was sent to it", async () => {
    const id = await stored("Old.Hand@B\u00fccher.Example", { verified: true });
    await server.db.run(sql`
      insert into identity_codes (purpose, identity_id, address, secret_hash, issued_at, expires_at)
      values ('recovery', ${id}, ${"Old.Hand@B\u00fccher.Example"}, 'x', now(), now() + interval '1 day')`);
    await bringAddresses(server.ctx);
    const address = "old.hand@xn--bcher-kva.example";
    expect(await isNow(id)).toEqual({ trait: address, email: address, verified: true });
    expect(
      await server.db.rows(sql`select address from identity_codes where identity_id = ${id}`),
    ).toEqual([{ address }]);
    expect(
      await server.db.rows(sql`
        select actor_name, before ->> 'email' as was from audit_log where row_id = ${id} and verb = 'update'
         and after ? 'email'`),
    ).toEqual([{ actor_name: "Upgrade", was: "Old.Hand@B\u00fccher.Example" }]);
    const before = await server.db.rows(sql`select * from audit_log`);
    await bringAddresses(server.ctx);
    expect(await server.db.rows(sql`select * from audit_log`)).toEqual(before);
  });

  test("leaves an address that turns out to be two people's to who has proven it, else to who was first", async () => {
    const late = await stored("twin@xn--bcher-kva.example", { verified: true });
    const early = await stored("Twin@b\u00fccher.example", { age: 9 });
    const second = await stored("sister@xn--bcher-kva.example");
    const first = await stored("sister@b\u00fccher.example", { age: 9 });
    // Of a hosted provider, who has no identity here.
    await server.db.run(sql`
      insert into people (name, email, external_id) values ('H', 'Sister@B\u00fccher.example', 'h-1')`);
    await bringAddresses(server.ctx);
    expect((await isNow(late))!.email).toBe("twin@xn--bcher-kva.example");
    expect(await isNow(early)).toEqual({ trait: null, email: null, verified: null });
    expect((await isNow(first))!.trait).toBe("sister@xn--bcher-kva.example");
    expect((await isNow(second))!.email).toBeNull();
    const [hosted] = await server.db.rows<{ email: string | null }>(
      sql`select email from people where external_id = 'h-1'`,
    );
    expect(hosted!.email).toBeNull();
    expect(
      await server.db.rows(sql`
        select before ->> 'email' as was from audit_log where row_id = ${early} and after -> 'email' = 'null'`),
    ).toEqual([{ was: "Twin@b\u00fccher.example" }]);
    // An administrator gives them another.
    const edit = { id: early, firstName: "T", lastName: "W", email: "twin2@example.org" };
    expect(await ask("/api/people/update", boss, edit)).toBe(200);
  });

  test("says which address nobody can sign in with, and leaves it", async () => {
    const id = await stored("d\u0131sguise@example.org");
    await bringAddresses(server.ctx);
    expect((await isNow(id))!.email).toBe("d\u0131sguise@example.org");
    expect(server.logged.join("\n")).toContain("nobody can sign in with this address");
    await server.db.run(sql`delete from identities where id = ${id}`);
  });
});
