import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { normalAddress } from "#platform/address.ts";
import { createRecoveryLink, sendInvitation, createIdentityFor } from "../index.ts";
import { askForRecovery, fieldsOf, messageIds, pathOf, Walker } from "../testing/flows.ts";
import {
  type IdentityServer,
  signInAsProgram,
  startIdentityServer,
} from "../testing/identity-server.ts";
import { codeIn, linkIn, type MailServer, startMailServer } from "../testing/mail-server.ts";

const NEW_PASSWORD = "twelve monkeys on bicycles";
let mail: MailServer;
let server: IdentityServer;
let email: string;
let made = 0;
beforeAll(async () => {
  mail = await startMailServer();
  server = await startIdentityServer({ smtpUrl: mail.url, mailFrom: "Mainstay <ops@example.org>" });
});
afterAll(async () => {
  await server.stop();
  await mail.stop();
});
beforeEach(async () => {
  email = `ada-${++made}@example.org`;
  await server.createPerson(email);
});
const askForCode = (walker: Walker, address = email) => askForRecovery(walker, address);
const movedTo = (body: unknown) =>
  pathOf((body as { redirect_browser_to: string }).redirect_browser_to);
const page = /^\/profile-settings\?flow=([0-9a-f-]{36})$/;
async function choosePassword(walker: Walker, flowId: string) {
  const settings = await walker.get("settings", flowId);
  expect([settings.status, messageIds(settings.body)]).toEqual([200, [1060001]]);
  const saved = await walker.send("settings", settings.body, {
    method: "password",
    password: NEW_PASSWORD,
  });
  expect([saved.status, saved.body.state, messageIds(saved.body)]).toEqual([
    200,
    "success",
    [1050001],
  ]);
}
async function signsInWith(password: string): Promise<number> {
  const walker = new Walker(server);
  const { body: flow } = await walker.begin("login");
  return (await walker.send("login", flow, { method: "password", identifier: email, password }))
    .status;
}

test("a browser gets back in by the code and chooses a password; other sessions end", async () => {
  const other = await signInAsProgram(server, email);
  const walker = new Walker(server);
  const begun = await walker.begin("recovery");
  expect(fieldsOf(begun.body)).toEqual(["default:csrf_token", "code:email", "code:method"]);
  const sent = await askForCode(walker);
  expect(fieldsOf(sent)).toEqual([
    "default:csrf_token",
    "code:method",
    "code:code",
    "code:method",
    "code:email",
  ]);
  const received = await mail.take(email);
  expect(received).toMatchObject({ from: "ops@example.org", to: [email] });
  expect(received.raw).toContain("From: Mainstay <ops@example.org>");
  const code = codeIn(received);
  expect(received.subject).toBe(`Recover your account: ${code}`);

  const right = await walker.send("recovery", sent, { method: "code", code });
  expect([right.status, right.body]).toMatchObject([
    422,
    { error: { id: "browser_location_change_required" } },
  ]);
  const flowId = page.exec(movedTo(right.body))![1]!;
  expect((await walker.whoami()).body).toMatchObject({
    authentication_methods: [{ method: "code_recovery", aal: "aal1" }],
    identity: { verifiable_addresses: [{ value: email, verified: true }] },
  });
  expect((await walker.get("settings", flowId)).body.return_to).toBe("/health");
  await choosePassword(walker, flowId);
  expect((await walker.whoami()).status).toBe(200);
  expect((await server.client.toSession({ xSessionToken: other })).status).toBe(401);
  expect(await signsInWith(NEW_PASSWORD)).toBe(200);
  expect(await signsInWith("correct horse battery staple")).toBe(400);
  expect((await mail.take(email, ({ subject }) => subject.includes("password"))).text).toContain(
    "Your password was changed.",
  );
});

test("a program gets a session and is shown the settings", async () => {
  const walker = new Walker(server, { isProgram: true });
  const sent = await askForCode(walker);
  const right = await walker.send("recovery", sent, {
    method: "code",
    code: codeIn(await mail.take(email)),
  });
  expect([right.status, right.body]).toMatchObject([
    200,
    {
      state: "passed_challenge",
      continue_with: [{ action: "set_ory_session_token" }, { action: "show_settings_ui" }],
    },
  ]);
  await choosePassword(walker, right.body.continue_with![1]!.flow!.id);
});

test("a link works in any browser, once, and not by being looked at", async () => {
  await askForCode(new Walker(server));
  const link = linkIn(await mail.take(email));
  // What mail programs do.
  for (let looks = 0; looks < 3; looks += 1) await new Walker(server).visit(link);

  const walker = new Walker(server);
  const flowId = /^303 \/recovery\?flow=([0-9a-f-]{36})$/.exec(await walker.visit(link))![1]!;
  const { body: flow } = await walker.get("recovery", flowId);
  expect([fieldsOf(flow), messageIds(flow)]).toEqual([
    ["default:csrf_token", "link:method"],
    [1060002],
  ]);
  const token = new URL(link, server.url).searchParams.get("token")!;
  expect(JSON.stringify(flow)).not.toContain(token);
  const { rows } = await server.db.raw("select state::text from identity_flows");
  expect(JSON.stringify(rows)).not.toContain(token);
  expect(server.logged.join("")).not.toContain(token);
  // Another browser's form, with the same link.
  const second = new Walker(server);
  const secondId = (await second.visit(link)).slice(-36);
  const { body: secondFlow } = await second.get("recovery", secondId);

  const done = await walker.send("recovery", flow, { method: "link" });
  expect(done.status).toBe(422);
  await choosePassword(walker, page.exec(movedTo(done.body))![1]!);
  const late = await second.send("recovery", secondFlow, { method: "link" });
  expect([late.status, messageIds(late.body)]).toEqual([400, [4060004]]);
  expect((await second.whoami()).status).toBe(401);
  const gone = new Walker(server);
  const goneId = (await gone.visit(link)).slice(-36);
  expect(messageIds((await gone.get("recovery", goneId)).body)).toEqual([4060004]);
});

test("a link that is handed over invites somebody, and proves no address", async () => {
  const { id: invited } = await createIdentityFor(server.db, {
    email: normalAddress(`new-${made}@example.org`)!,
    name: { first: "N" },
  });
  const { link, expires_at: until } = await createRecoveryLink(server.ctx, invited, {
    address: "https://console.example.org",
  });
  expect(link).toMatch(
    /^https:\/\/console\.example\.org\/api\/\.ory\/self-service\/recovery\?token=[\w-]{43}$/,
  );
  expect(until.getTime() - server.ctx.clock.now().getTime()).toBeGreaterThan(2.9 * 86_400_000);
  const { rows } = await server.db.raw(
    "select secret_hash from identity_codes where identity_id = $1",
    [invited],
  );
  expect(link).not.toContain((rows[0] as { secret_hash: string }).secret_hash);
  const walker = new Walker(server);
  const { body: flow } = await walker.get(
    "recovery",
    (await walker.visit(pathOf(link))).slice(-36),
  );
  const done = await walker.send("recovery", flow, { method: "link" });
  await choosePassword(walker, page.exec(movedTo(done.body))![1]!);
  expect((await walker.whoami()).body).toMatchObject({
    identity: { verifiable_addresses: [{ verified: false }] },
  });
});

test("an invitation that is mailed does both", async () => {
  const address = normalAddress(`mailed-${made}@example.org`)!;
  const { id: invited } = await createIdentityFor(server.db, {
    email: address,
    name: { first: "M" },
  });
  await server.ctx.tx((tx) =>
    sendInvitation(tx, { identityId: invited, invitedBy: "Ada Lovelace" }),
  );
  const received = await mail.take(address);
  expect(received.text).toContain("Ada Lovelace has invited you");
  const walker = new Walker(server);
  const { body: flow } = await walker.get(
    "recovery",
    (await walker.visit(linkIn(received))).slice(-36),
  );
  // Words of an invitation: they have recovered nothing.
  expect(flow.ui.messages).toMatchObject([
    {
      id: 1060002,
      text: expect.stringContaining("set up your account"),
      context: { invited: true },
    },
  ]);
  const done = await walker.send("recovery", flow, { method: "link" });
  expect(done.status).toBe(422);
  const next = await walker.get("settings", page.exec(movedTo(done.body))![1]!);
  expect(next.body.ui.messages).toMatchObject([
    { id: 1060001, text: expect.stringMatching(/^Welcome\./), context: { invited: true } },
  ]);
  expect((await walker.whoami()).body).toMatchObject({
    identity: { verifiable_addresses: [{ verified: true }] },
  });
});

test("whoever has been here before recovers, whoever has not is invited, and the list can tell", async () => {
  const seen = () =>
    server.db.first<{ isInvited: boolean }>(
      sql`select first_sign_in_at is null as "isInvited" from identities where id = ${invitedId}`,
    );
  const { id: invitedId } = await createIdentityFor(server.db, {
    email: normalAddress(`again-${made}@example.org`)!,
    name: { first: "A" },
  });
  const follow = async () => {
    const { link } = await createRecoveryLink(server.ctx, invitedId, {
      address: "https://console.example.org",
    });
    const walker = new Walker(server);
    const { body: flow } = await walker.get(
      "recovery",
      (await walker.visit(pathOf(link))).slice(-36),
    );
    await walker.send("recovery", flow, { method: "link" });
    return flow.ui.messages;
  };
  expect(await seen()).toEqual({ isInvited: true });
  expect(await follow()).toMatchObject([{ context: { invited: true } }]);
  expect(await seen()).toEqual({ isInvited: false });
  const [message] = (await follow()) ?? [];
  expect(message?.text).toBe("Go on to sign in and choose a new password.");
});

test("where no mail is sent, the form says whom to ask", async () => {
  const silent = await startIdentityServer();
  try {
    await silent.createPerson("ada@example.org");
    const { status, body } = await new Walker(silent).begin("recovery");
    expect([status, fieldsOf(body), messageIds(body)]).toEqual([
      200,
      ["default:csrf_token"],
      [4000001],
    ]);
  } finally {
    await silent.stop();
  }
});
