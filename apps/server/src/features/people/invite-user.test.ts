import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson, type TestPerson } from "../../testing/people.ts";
import { startMailServer } from "../identity/testing/mail-server.ts";
import { inviteUser } from "./invite-user.ts";

let app: TestApp;
let admin: TestPerson;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  admin = await createPerson(app, "admin", { first: "Admin", last: "Istrator" });
});
afterAll(() => app.stop());

const fresh = () => `${crypto.randomUUID()}@example.org`;
const grace = (changes: object = {}) => ({
  firstName: "Grace",
  lastName: "Hopper",
  email: fresh(),
  ...changes,
});
const invite = (body: object) => admin.post("/api/auth/invite_user", body);

test("makes a user with the role that was sent, and a link", async () => {
  await app.db.run(sql`delete from audit_log`);
  const body = grace({ role: "commander" });
  const reply = await invite(body);
  expect([reply.status, reply.json]).toEqual([
    200,
    {
      link: expect.stringContaining(`${app.address}/api/.ory/self-service/recovery?`),
      mailed: false,
    },
  ]);
  const [identity] = (
    await admin.get(`/api/db/identities?traits->>email=eq.${body.email}&select=id,traits,state`)
  ).json;
  expect(identity).toMatchObject({
    state: "active",
    traits: { email: body.email, name: { first: "Grace", last: "Hopper" } },
  });
  const roles = await admin.get(`/api/db/people_roles?id=in.(${identity.id})`);
  expect(roles.json).toMatchObject([{ name: "Grace Hopper", roles: ["commander"] }]);
  const said = await admin.get("/api/db/audit_log?order=table_name");
  expect(said.json).toMatchObject([
    { actor_id: admin.id, verb: "insert", table_name: "casbin_rule" },
    {
      actor_id: admin.id,
      verb: "insert",
      table_name: "identity_codes",
      row_id: identity.id,
      after: { purpose: "recovery" },
    },
    { actor_id: admin.id, verb: "insert", table_name: "people", row_id: identity.id },
  ]);
  // The link is shown, and kept nowhere.
  const secret = new URL(reply.json.link).searchParams.get("token")!;
  const kept = await app.db.rows(sql`select c::text as text from identity_codes c`);
  expect(JSON.stringify([kept, said.json])).not.toContain(secret);
});

test("without a role they are a viewer", async () => {
  const body = grace();
  expect((await invite(body)).status).toBe(200);
  const { json } = await admin.get(`/api/db/people?email=eq.${body.email}`);
  expect((await admin.get(`/api/db/people_roles?id=eq.${json[0].id}`)).json).toMatchObject([
    { id: json[0].id, roles: ["viewer"] },
  ]);
});

test("the link lets the invited person in, once", async () => {
  const body = grace({ role: "editor" });
  const { link } = (await invite(body)).json;
  const opened = await fetch(link, { redirect: "manual", headers: { accept: "text/html" } });
  const page = new URL(opened.headers.get("location")!, app.address);
  expect([opened.status, page.pathname]).toEqual([303, "/recovery"]);
  const cookie = opened.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
  const flowId = page.searchParams.get("flow");
  const read = await app.nobody.get(`/api/.ory/self-service/recovery/flows?id=${flowId}`, {
    cookie,
  });
  const csrf = read.json.ui.nodes.find(
    (node: { attributes: { name: string } }) => node.attributes.name === "csrf_token",
  ).attributes.value;
  const press = () =>
    app.nobody.post(
      `/api/.ory/self-service/recovery?flow=${flowId}`,
      { method: "link", csrf_token: csrf },
      { cookie },
    );
  const pressed = await press();
  const session = pressed.headers
    .getSetCookie()
    .find((line) => line.startsWith("ory_kratos_session="))!
    .split(";", 1)[0]!;
  const whoami = await app.nobody.get("/api/auth/whoami", { cookie: session });
  expect(whoami.json).toMatchObject({
    payload: { user: { email: body.email, name: "Grace Hopper" }, roles: ["editor"] },
  });
  const again = await fetch(link, { redirect: "manual", headers: { accept: "application/json" } });
  const { ui } = (await again.json()) as { ui: { messages: { id: number }[] } };
  expect(ui.messages.map(({ id }) => id)).toContain(4060004);
});

test("whoever is there already is not invited, however the address is written", async () => {
  const body = grace();
  expect((await invite(body)).status).toBe(200);
  for (const email of [body.email, body.email.toUpperCase(), ` ${body.email} `]) {
    const reply = await invite({ ...body, email, role: "admin" });
    expect([reply.status, reply.json]).toEqual([
      409,
      { error: "User already exists", message: "Error creating user", code: "conflict" },
    ]);
  }
  const { json } = await admin.get(`/api/db/people?email=eq.${body.email}`);
  expect((await admin.get(`/api/db/people_roles?id=eq.${json[0].id}`)).json).toMatchObject([
    { roles: ["viewer"] },
  ]);
  // So is somebody who signs in elsewhere.
  const elsewhere = fresh();
  await app.db.run(sql`insert into people (name, email) values ('Elsewhere', ${elsewhere})`);
  expect((await invite(grace({ email: elsewhere }))).status).toBe(409);
});

test("many invitations of one person at the same time make one user", async () => {
  const body = grace();
  const replies = await Promise.all(Array.from({ length: 10 }, () => invite(body)));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(replies.filter(({ status }) => status === 409)).toHaveLength(9);
  expect((await admin.get(`/api/db/people?email=eq.${body.email}`)).json).toHaveLength(1);
});

test.each<[changes: object, message: string]>([
  [{ firstName: "" }, "Please provide valid first name"],
  [{ lastName: "x".repeat(101) }, "Please provide valid last name"],
  [{ lastName: undefined }, "Please provide valid last name"],
  [{ email: undefined }, "Please provide valid email"],
  [{ email: "grace" }, "Entered value does not match email format"],
  [
    { email: "grace@example.org\r\nBcc: all@example.org" },
    "Entered value does not match email format",
  ],
  [{ email: "a@b, c@d" }, "Entered value does not match email format"],
  [{ email: "<a@b>" }, "Entered value does not match email format"],
  [{ email: { $ne: null } }, "Please provide valid email"],
  [{ role: "owner" }, "Please select any role"],
  [{ role: ["admin"] }, "Please select any role"],
])("%# is refused with its text, and nobody is made", async (changes, message) => {
  const count = () => app.db.first(sql`select count(*) as n from identities`);
  const before = await count();
  const reply = await invite(grace(changes));
  expect([reply.status, reply.json.error]).toEqual([400, message]);
  expect(await count()).toEqual(before);
});

test.each([{ hostedIssuer: "https://issuer.example.org" }, { identityUrl: "http://kratos:4433" }])(
  "with %j people are invited elsewhere",
  async (setting) => {
    const { ctx } = app.app;
    const elsewhere = { ...ctx, config: { ...ctx.config, ...setting } };
    const request = { body: grace(), headers: {} } as Parameters<typeof inviteUser>[1];
    await expect(inviteUser(elsewhere, request)).rejects.toMatchObject({ code: "unsupported" });
  },
);

describe("an invitation that was not mailed", () => {
  const unmailed = async (asker: Pick<TestPerson, "get">, email: string) =>
    (await asker.get("/api/people/unmailed-invitations")).json.filter(
      (row: { email: string }) => row.email === email,
    );

  test("is told to administrators until it is used or has expired; its link to who invited alone", async () => {
    const body = grace();
    const { link } = (await invite(body)).json;
    const { rows } = await app.db.raw("select link from unmailed_invitations");
    expect(JSON.stringify(rows)).not.toContain(new URL(link).searchParams.get("token"));
    const told = { name: "Grace Hopper", email: body.email, invited_by: "Admin Istrator" };
    expect(await unmailed(admin, body.email)).toMatchObject([{ ...told, link }]);
    const another = await createPerson(app, "admin");
    const [seen] = await unmailed(another, body.email);
    expect(seen).toMatchObject(told);
    expect(seen).not.toHaveProperty("link");
    const editor = await createPerson(app, "viewer");
    expect((await editor.get("/api/people/unmailed-invitations")).status).toBe(403);

    await app.db.run(sql`update people set last_login = now() where email = ${body.email}`);
    expect(await unmailed(admin, body.email)).toEqual([]);
    const late = grace();
    await invite(late);
    await app.db.run(sql`update unmailed_invitations set expires_at = now()`);
    expect(await unmailed(admin, late.email)).toEqual([]);
  });

  test("whose link was encrypted with another key is told without it", async () => {
    const body = grace();
    await invite(body);
    await app.db.run(sql`
      update unmailed_invitations set link = 'm1:00000000:AAAA'
       where identity_id = (select id from people where email = ${body.email})`);
    const [told] = await unmailed(admin, body.email);
    expect(told).toMatchObject({ email: body.email, invited_by: "Admin Istrator" });
    expect(told).not.toHaveProperty("link");
  });

  test("by a mail server that does not take it is answered as ever, and told then", async () => {
    const mail = await startMailServer();
    const mailing = await startTestApp({ smtpUrl: mail.url });
    try {
      mail.refuse(1);
      const body = grace();
      const reply = await mailing.admin.post("/api/auth/invite_user", body);
      expect([reply.status, reply.json.mailed]).toEqual([200, true]);
      await vi.waitFor(
        async () =>
          expect(await unmailed(mailing.admin, body.email)).toMatchObject([
            { link: reply.json.link },
          ]),
        { timeout: 20_000 },
      );
      // It is tried again, and is no news any more once it was taken.
      await mail.take(body.email);
      await vi.waitFor(async () => expect(await unmailed(mailing.admin, body.email)).toEqual([]), {
        timeout: 20_000,
      });
    } finally {
      await mailing.stop();
      await mail.stop();
    }
  });
});

describe("with a mail server", () => {
  test("the invited person gets a link of their own", async () => {
    const mail = await startMailServer();
    const mailing = await startTestApp({ smtpUrl: mail.url });
    try {
      const body = grace({ role: "viewer" });
      const reply = await mailing.admin.post("/api/auth/invite_user", body);
      expect([reply.status, reply.json.mailed]).toEqual([200, true]);
      const invitation = await mail.take(body.email);
      expect(invitation.text).toContain("Admin");
      const secret = new URL(reply.json.link).searchParams.get("token")!;
      expect(invitation.text).toContain("token=");
      expect(invitation.text).not.toContain(secret);
      // Whoever is refused is sent nothing.
      expect((await mailing.admin.post("/api/auth/invite_user", body)).status).toBe(409);
      const jobs = await mailing.db.first<{ n: number }>(
        sql`select count(*) as n from pgboss.job where name = 'identity/mail-invitation'`,
      );
      expect(jobs).toEqual({ n: 1 });
      // An address that an administrator changes is told so, too.
      const { json } = await mailing.admin.get(`/api/db/people?email=eq.${body.email}`);
      const moved = { ...body, id: json[0].id, email: fresh() };
      expect((await mailing.admin.post("/api/people/update", moved)).status).toBe(200);
      expect((await mail.take(body.email)).text).toContain(moved.email);
      expect(mail.received).toHaveLength(2);
    } finally {
      await mailing.stop();
      await mail.stop();
    }
  });
});
