import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fieldIds, fieldsOf, type FlowBody, messageIds, Walker } from "../testing/flows.ts";
import { type IdentityServer, startIdentityServer } from "../testing/identity-server.ts";
import { codeIn, type MailServer, startMailServer } from "../testing/mail-server.ts";

const GOOD = "seven green bottles";
let nameless = 0;
const signUp = (email: string, changes: Record<string, unknown> = {}) => ({
  method: "password",
  password: GOOD,
  traits: { email, name: { first: "Grace", last: "Hopper" } },
  ...changes,
});
const identitiesWith = async ({ db }: IdentityServer, email: string) =>
  (await db.raw("select id, traits, state from identities where traits ->> 'email' = $1", [email]))
    .rows as { id: string; traits: unknown }[];

describe("where mail is sent", () => {
  let mail: MailServer;
  let server: IdentityServer;
  beforeAll(async () => {
    mail = await startMailServer();
    server = await startIdentityServer({ registration: "open", smtpUrl: mail.url });
    await server.createPerson("ada@example.org", "admin");
  });
  afterAll(async () => {
    await server.stop();
    await mail.stop();
  });

  test.each([
    ["a browser", false],
    ["a program", true],
  ])("%s signs up, types in the code, is signed in and verified", async (name, isProgram) => {
    const email = `${name.replace(" ", "-")}@example.org`;
    const walker = new Walker(server, { isProgram });
    const begun = await walker.begin("registration", { return_to: "/health" });
    expect(begun.status).toBe(200);
    expect(fieldsOf(begun.body)).toEqual([
      "default:csrf_token",
      "default:traits.email",
      "default:traits.name.first",
      "default:traits.name.last",
      "password:password",
      "password:method",
    ]);
    const sent = await walker.send("registration", begun.body, signUp(email));
    expect([sent.status, sent.body.state, messageIds(sent.body)]).toEqual([
      400,
      "sent_email",
      [1040005],
    ]);
    expect(fieldsOf(sent.body)).toEqual([
      "default:csrf_token",
      "code:method",
      "code:code",
      "code:method",
      "code:resend",
    ]);
    expect(JSON.stringify(sent.body)).not.toContain("argon2");
    expect(await identitiesWith(server, email)).toEqual([]);

    const code = codeIn(await mail.take(email));
    const done = await walker.send("registration", sent.body, { method: "code", code });
    expect([done.status, done.body]).toMatchObject([
      200,
      {
        session: { active: true, authentication_methods: [{ method: "code" }] },
        identity: {
          traits: { email },
          verifiable_addresses: [
            { value: email, verified: true, status: "completed", via: "email" },
          ],
        },
      },
    ]);
    expect((await walker.whoami()).status).toBe(200);
    const login = new Walker(server);
    const { body: flow } = await login.begin("login");
    expect(
      (await login.send("login", flow, { method: "password", identifier: email, password: GOOD }))
        .status,
    ).toBe(200);
  });

  test("known and unknown addresses are answered alike, and only the owner learns the difference", async () => {
    const answers: unknown[] = [];
    for (const email of ["ada@example.org", "stranger@example.org"]) {
      const walker = new Walker(server);
      const { body: flow } = await walker.begin("registration");
      const { status, body } = await walker.send("registration", flow, signUp(email));
      answers.push(withoutIds({ status, body }, email));
      const wrong = await walker.send("registration", body, { method: "code", code: "000000" });
      expect([wrong.status, messageIds(wrong.body)]).toEqual([400, [4040003]]);
      answers.push(withoutIds(wrong.body, email));
    }
    expect(answers[0]).toEqual(answers[2]);
    expect(answers[1]).toEqual(answers[3]);
    expect((await mail.take("ada@example.org")).subject).toBe("You have an account already");
    expect((await mail.take("stranger@example.org")).subject).toMatch(
      /^Create your account: \d{6}$/,
    );
    expect(await identitiesWith(server, "ada@example.org")).toHaveLength(1);
  });

  test("codes end after five wrong ones, after a while, and after use; a new one works", async () => {
    const email = "codes@example.org";
    const walker = new Walker(server);
    const { body: flow } = await walker.begin("registration");
    const { body: sent } = await walker.send("registration", flow, signUp(email));
    const first = codeIn(await mail.take(email));
    const wrong = first === "123456" ? "654321" : "123456";
    for (let tries = 0; tries < 5; tries += 1)
      expect(
        (await walker.send("registration", sent, { method: "code", code: wrong })).status,
      ).toBe(400);
    const late = await walker.send("registration", sent, { method: "code", code: first });
    expect([late.status, messageIds(late.body)]).toEqual([400, [4040003]]);

    const again = await walker.send("registration", sent, { resend: "code" });
    expect([again.status, messageIds(again.body)]).toEqual([400, [1040005]]);
    const second = codeIn(await mail.take(email));
    server.advance(16 * 60_000);
    const expired = await walker.send("registration", sent, { method: "code", code: second });
    expect(messageIds(expired.body)).toEqual([4040003]);

    await walker.send("registration", sent, { resend: "code" });
    const third = codeIn(await mail.take(email));
    const done = await walker.send("registration", sent, { method: "code", code: ` ${third} ` });
    expect(done.status).toBe(200);
    const replayed = await walker.send("registration", sent, { method: "code", code: third });
    expect([replayed.status, replayed.body]).toMatchObject([
      400,
      { error: { id: "session_already_available" } },
    ]);
    const stranger = new Walker(server, { jar: walker.jar });
    stranger.jar.set("ory_kratos_session", "");
    const gone = await stranger.send("registration", sent, { method: "code", code: third });
    expect([gone.status, gone.body]).toMatchObject([
      410,
      { error: { id: "self_service_flow_expired" } },
    ]);
  });

  test("somebody else's code does nothing", async () => {
    const [mine, theirs] = [new Walker(server), new Walker(server)];
    const { body: flow } = await mine.begin("registration");
    const { body: sent } = await mine.send("registration", flow, signUp("mine@example.org"));
    const { body: other } = await theirs.begin("registration");
    await theirs.send("registration", other, signUp("theirs@example.org"));
    await mail.take("mine@example.org");
    const code = codeIn(await mail.take("theirs@example.org"));
    const tried = await mine.send("registration", sent, { method: "code", code });
    expect([tried.status, messageIds(tried.body)]).toEqual([400, [4040003]]);
  });

  test("a mail server in trouble is asked again", { timeout: 30_000 }, async () => {
    const walker = new Walker(server);
    const { body: flow } = await walker.begin("registration");
    mail.refuse(1);
    const { status } = await walker.send("registration", flow, signUp("patient@example.org"));
    expect(status).toBe(400);
    expect(codeIn(await mail.take("patient@example.org"))).toMatch(/^\d{6}$/);
  });
});

describe("where no mail is sent", () => {
  let server: IdentityServer;
  beforeAll(async () => {
    server = await startIdentityServer({ registration: "open" });
    await server.createPerson("ada@example.org", "admin");
  });
  afterAll(() => server.stop());

  test("who signs up is signed in at once, not verified, and a viewer", async () => {
    const walker = new Walker(server);
    const { body: flow } = await walker.begin("registration", {
      after_verification_return_to: "/catalog",
    });
    expect(flow.return_to).toBe("/catalog");
    const done = await walker.send("registration", flow, signUp("grace@example.org"));
    expect([done.status, done.body]).toMatchObject([
      200,
      { identity: { verifiable_addresses: [{ verified: false }] } },
    ]);
    const reply = await fetch(`${server.url}/api/auth/whoami`, {
      headers: { cookie: walker.jar.toString() },
    });
    expect(await reply.json()).toMatchObject({ payload: { roles: ["viewer"] } });
  });

  test("an address that is taken says so, however it is written", async () => {
    for (const email of ["ada@example.org", "ADA@Example.ORG"]) {
      const walker = new Walker(server);
      const { body: flow } = await walker.begin("registration");
      const { status, body } = await walker.send("registration", flow, signUp(email));
      expect([status, messageIds(body)]).toEqual([400, [4000007]]);
      const node = body.ui.nodes.find(({ attributes }) => attributes.name === "traits.email");
      expect(node?.attributes.value).toBe(email);
    }
  });

  test("an address of somebody who signs in elsewhere is taken, too", async () => {
    const email = "elsewhere@example.org";
    await server.db.run(sql`insert into people (name, email) values ('Ada', ${email})`);
    const walker = new Walker(server);
    const { body: flow } = await walker.begin("registration");
    const { status, body } = await walker.send("registration", flow, signUp(email));
    expect([status, messageIds(body)]).toEqual([400, [4000007]]);
  });

  test("of many with the same address at once one is made", async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const walker = new Walker(server);
        const { body: flow } = await walker.begin("registration");
        return (await walker.send("registration", flow, signUp("race@example.org"))).status;
      }),
    );
    expect(answers.toSorted((left, right) => left - right)).toEqual([200, 400, 400, 400]);
    expect(await identitiesWith(server, "race@example.org")).toHaveLength(1);
  });

  test.each<[string, object, object, string]>([
    [
      "an empty last name",
      { "traits.name.first": "Ada", "traits.name.last": "" },
      { first: "Ada", last: "" },
      "Ada",
    ],
    ["no last name", { "traits.name.first": "Ada" }, { first: "Ada" }, "Ada"],
    [
      "a first name of spaces",
      { "traits.name.first": " " },
      { first: "" },
      "nameless-3@example.org",
    ],
    ["no name at all", {}, {}, "nameless-4@example.org"],
  ])("somebody with %s signs up, as the schema asks for the address only", async (...cells) => {
    const [, names, stored, goesBy] = cells;
    const email = `nameless-${++nameless}@example.org`;
    const walker = new Walker(server);
    const { body: flow } = await walker.begin("registration");
    const asked = flow.ui.nodes.filter(({ attributes }) => attributes.required === true);
    expect(asked.map(({ attributes }) => attributes.name)).toEqual([
      "csrf_token",
      "traits.email",
      "password",
    ]);
    const fields = { method: "password", password: GOOD, "traits.email": email, ...names };
    expect((await walker.send("registration", flow, fields)).status).toBe(200);
    const [identity] = await identitiesWith(server, email);
    const name = Object.keys(stored).length > 0 ? { name: stored } : {};
    expect(identity!.traits).toEqual({ email, ...name });
    const { rows } = await server.db.raw("select name from people where email = $1", [email]);
    expect(rows).toEqual([{ name: goesBy }]);
  });

  const traits = (changes: object) => ({
    traits: { email: "new@example.org", name: { first: "Grace", last: "Hopper" }, ...changes },
  });
  test.each<[string, Record<string, unknown>, string, number]>([
    ["no address", traits({ email: "" }), "traits.email", 4000002],
    ["no @", traits({ email: "nobody" }), "traits.email", 4000004],
    ["two addresses", traits({ email: "a@b.example,c@d.example" }), "traits.email", 4000004],
    ["a header", traits({ email: "a@b.example\r\nBcc: c@d.example" }), "traits.email", 4000004],
    ["a bracket", traits({ email: "<a@b.example>" }), "traits.email", 4000004],
    ["a long address", traits({ email: `${"a".repeat(400)}@b.example` }), "traits.email", 4000017],
    ["an address that is an object", traits({ email: { a: 1 } }), "traits.email", 4000002],
    [
      "a zero byte",
      traits({ name: { first: "G\u0000", last: "H" } }),
      "traits.name.first",
      4000004,
    ],
    [
      "half a character",
      traits({ name: { first: "\ud800", last: "H" } }),
      "traits.name.first",
      4000004,
    ],
    [
      "a huge name",
      traits({ name: { first: "x".repeat(5000), last: "H" } }),
      "traits.name.first",
      4000017,
    ],
    ["traits of another type", { traits: [1, 2] }, "traits.email", 4000002],
    ["a prototype", { traits: { __proto__: { email: "x@y.example" } } }, "traits.email", 4000002],
    ["no password", { password: "" }, "password", 4000002],
    ["a short password", { password: "abc1234" }, "password", 4000032],
    ["a common password", { password: "Password1" }, "password", 4000034],
    ["a common password with signs", { password: "iloveyou2024!!" }, "password", 4000034],
    ["one sign", { password: "aaaaaaaaaaaaaaa" }, "password", 4000034],
    ["the address", { password: "new@example.org" }, "password", 4000031],
    ["the name", { password: "hopper12" }, "password", 4000031],
    ["a giant password", { password: "x1y".repeat(400) }, "password", 4000033],
  ])("%s is refused at its field", async (_name, changes, field, id) => {
    const walker = new Walker(server);
    const { body: flow } = await walker.begin("registration");
    const { status, body } = await walker.send("registration", flow, {
      ...signUp("new@example.org"),
      ...changes,
    });
    expect([status, fieldIds(body, field)]).toEqual([400, [id]]);
    expect(JSON.stringify(body)).not.toContain(GOOD);
    expect(await identitiesWith(server, "new@example.org")).toEqual([]);
  });

  test.each([
    ["Björk", "Guðmundsdóttir"],
    ["美咲", "山田"],
    ["मीरा", "शर्मा"],
    ["ليلى", "حسن"],
    ["Ελένη", "Παπαδοπούλου"],
    ["Анна", "Каренина"],
    ["👩‍👩‍👧‍👦", "Zalgơ̷̴̢"],
    ["O'Brien-Smith", "<script>alert(1)</script>"],
    ["Robert'); drop table people;--", "{{ .Secret }}"],
  ])("the name %s %s is kept as it is", async (first, last) => {
    const email = `${crypto.randomUUID()}@example.org`;
    const walker = new Walker(server);
    const { body: flow } = await walker.begin("registration");
    const { status } = await walker.send("registration", flow, {
      ...signUp(email),
      traits: { email, name: { first, last } },
    });
    expect(status).toBe(200);
    expect((await identitiesWith(server, email))[0]!.traits).toEqual({
      email,
      name: { first: first.normalize("NFC"), last: last.normalize("NFC") },
    });
  });

  test("traits may come as a form writes them, and others are left out", async () => {
    const walker = new Walker(server);
    const { body: flow } = await walker.begin("registration");
    const { status } = await walker.send("registration", flow, {
      method: "password",
      password: GOOD,
      "traits.email": "flat@example.org",
      "traits.name.first": "Flat",
      "traits.name.last": "Field",
      "traits.role": "admin",
      "traits.name.middle": "x",
    });
    expect(status).toBe(200);
    expect((await identitiesWith(server, "flat@example.org"))[0]!.traits).toEqual({
      email: "flat@example.org",
      name: { first: "Flat", last: "Field" },
    });
  });
});

describe("who may", () => {
  test.each(["invite", "closed"] as const)(
    "nobody where it is %s, but the very first, who administrates",
    async (registration) => {
      const server = await startIdentityServer({ registration });
      try {
        const walkers = [new Walker(server), new Walker(server)];
        const flows: FlowBody[] = [];
        for (const walker of walkers) flows.push((await walker.begin("registration")).body);
        const answers = await Promise.all(
          walkers.map((walker, index) =>
            walker.send("registration", flows[index]!, signUp(`first-${index}@example.org`)),
          ),
        );
        const statuses = answers
          .map(({ status }) => status)
          .toSorted((left, right) => left - right);
        expect(statuses[0]).toBe(200);
        expect([400, 410]).toContain(statuses[1]);
        const { rows } = await server.db.raw("select v1 from casbin_rule where ptype = 'g'");
        expect(rows).toEqual([{ v1: "admin" }]);

        const late = await new Walker(server).begin("registration");
        expect([late.status, late.body]).toMatchObject([
          400,
          { error: { id: "self_service_flow_disabled" } },
        ]);
      } finally {
        await server.stop();
      }
    },
  );
});

function withoutIds(value: unknown, email: string): unknown {
  return JSON.parse(
    JSON.stringify(value)
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
      .replaceAll(/"csrf_token","type":"hidden","value":"[^"]*"/g, '"csrf_token"')
      .replaceAll(email, "address"),
  );
}
