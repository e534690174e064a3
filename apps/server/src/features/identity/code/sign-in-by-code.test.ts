import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fieldsOf, type FlowBody, messageIds, Walker } from "../testing/flows.ts";
import { type IdentityServer, PASSWORD, startIdentityServer } from "../testing/identity-server.ts";
import { CODE_LIFESPAN_MS } from "./codes.ts";
import { codeIn, linkIn, type MailServer, startMailServer } from "../testing/mail-server.ts";

const LIFESPAN = CODE_LIFESPAN_MS / 60_000;
let mail: MailServer;
let server: IdentityServer;
let email: string;
let made = 0;
beforeAll(async () => {
  mail = await startMailServer();
  server = await startIdentityServer({ smtpUrl: mail.url, signInByCode: true });
});
afterAll(async () => {
  await server.stop();
  await mail.stop();
});
beforeEach(async () => {
  email = `ada-${++made}@example.org`;
  await server.createPerson(email);
});

async function askForCode(walker: Walker, identifier = email): Promise<FlowBody> {
  const { body: flow } = await walker.begin("login", { return_to: "/health" });
  expect(fieldsOf(flow)).toEqual([
    "default:csrf_token",
    "default:identifier",
    "password:password",
    "password:method",
    "code:method",
  ]);
  const { status, body } = await walker.send("login", flow, { method: "code", identifier });
  expect([status, body.state, messageIds(body)]).toEqual([400, "sent_email", [1010014]]);
  return body;
}

test.each([
  ["a browser", false],
  ["a program", true],
])("%s signs in by a code, and the address is verified by it", async (_name, isProgram) => {
  const walker = new Walker(server, { isProgram });
  const sent = await askForCode(walker);
  expect(fieldsOf(sent)).toEqual([
    "default:csrf_token",
    "default:identifier",
    "code:method",
    "code:code",
    "code:method",
    "code:resend",
  ]);
  const code = codeIn(await mail.take(email, ({ subject }) => subject.startsWith("Sign in")));
  const done = await walker.send("login", sent, { method: "code", code, identifier: email });
  expect([done.status, done.body]).toMatchObject([
    200,
    { session: { authentication_methods: [{ method: "code", aal: "aal1" }] } },
  ]);
  expect((await walker.whoami()).body).toMatchObject({
    identity: { verifiable_addresses: [{ verified: true }] },
  });
});

test("unknown and known addresses are answered alike", async () => {
  const answers: unknown[] = [];
  for (const identifier of [email, "nobody@example.org"]) {
    const walker = new Walker(server);
    const sent = await askForCode(walker, identifier);
    const wrong = await walker.send("login", sent, { method: "code", code: "000000" });
    answers.push([sent.ui.messages, wrong.status, wrong.body.ui.messages, fieldsOf(wrong.body)]);
  }
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]).toMatchObject([{}, 400, [{ id: 4010008 }], {}]);
});

test("the code is for whom it was sent, whatever the form says, and for once", async () => {
  const walker = new Walker(server);
  const sent = await askForCode(walker);
  const code = codeIn(await mail.take(email));
  const victim = await server.createPerson(`victim-${made}@example.org`);
  const done = await walker.send("login", sent, {
    method: "code",
    code,
    identifier: `victim-${made}@example.org`,
  });
  expect(done.status).toBe(200);
  expect((await walker.whoami()).body).not.toMatchObject({ identity: { id: victim.id } });
});

test.each([
  ["set back ten minutes", -10, 200],
  ["forty minutes behind", -40, 200],
  ["a minute before it ends", LIFESPAN - 1, 200],
  ["a minute after it ends", LIFESPAN + 1, 400],
])("a code that is typed by a clock %s", async (_name, minutes, status) => {
  const walker = new Walker(server);
  const sent = await askForCode(walker);
  const code = codeIn(await mail.take(email, ({ subject }) => subject.startsWith("Sign in")));
  server.advance(minutes * 60_000);
  try {
    const done = await walker.send("login", sent, { method: "code", code });
    expect([done.status, status === 400 ? messageIds(done.body) : []]).toEqual([
      status,
      status === 400 ? [4010008] : [],
    ]);
    if (status === 200) expect((await walker.whoami()).status).toBe(200);
    // Nor does it do in another flow, or a second time.
    const again = new Walker(server);
    const other = await askForCode(again, `${email}.nobody`);
    const reused = await again.send("login", other, { method: "code", code });
    expect([reused.status, messageIds(reused.body)]).toEqual([400, [4010008]]);
  } finally {
    server.advance(-minutes * 60_000);
  }
});

test("a code of signing in does not recover, and the other way round", async () => {
  const walker = new Walker(server);
  const { body: flow } = await walker.begin("recovery");
  const { body: recovery } = await walker.send("recovery", flow, { method: "code", email });
  const recoveryCode = codeIn(await mail.take(email));
  const login = await askForCode(walker);
  const loginCode = codeIn(await mail.take(email));
  if (recoveryCode === loginCode) return;
  const first = await walker.send("login", login, { method: "code", code: recoveryCode });
  const second = await walker.send("recovery", recovery, { method: "code", code: loginCode });
  expect([messageIds(first.body), messageIds(second.body)]).toEqual([[4010008], [4060006]]);
});

describe("verification", () => {
  test("by code, from nobody's session; unknown and verified addresses are answered alike", async () => {
    const walker = new Walker(server);
    const begun = await walker.begin("verification", { return_to: "/health" });
    expect(fieldsOf(begun.body)).toEqual(["default:csrf_token", "code:email", "code:method"]);
    const sent = await walker.send("verification", begun.body, { method: "code", email });
    expect([sent.status, sent.body.state, messageIds(sent.body)]).toEqual([
      200,
      "sent_email",
      [1080003],
    ]);
    const code = codeIn(await mail.take(email));
    const wrong = await walker.send("verification", sent.body, { method: "code", code: "000000" });
    expect([wrong.status, messageIds(wrong.body)]).toEqual([400, [4070006]]);
    const done = await walker.send("verification", sent.body, { method: "code", code });
    expect([done.status, done.body.state]).toEqual([200, "passed_challenge"]);
    expect(done.body.ui.nodes.at(-1)!.attributes).toMatchObject({ href: `${server.url}/health` });
    const again = await walker.send("verification", sent.body, { method: "code", code });
    expect([again.status, messageIds(again.body)]).toEqual([400, [4010006]]);

    const before = mail.received.length;
    for (const address of [email, "nobody@example.org"]) {
      const { body: flow } = await walker.begin("verification");
      const other = await walker.send("verification", flow, { method: "code", email: address });
      expect([other.status, other.body.ui.messages]).toEqual([200, sent.body.ui.messages]);
    }
    await askForCode(new Walker(server));
    await mail.take(email);
    expect(mail.received.length).toBe(before + 1);
  });

  test("by link, in another browser, by pressing the button", async () => {
    const walker = new Walker(server);
    const { body: flow } = await walker.begin("verification");
    await walker.send("verification", flow, { method: "code", email });
    const other = new Walker(server);
    const to = await other.visit(linkIn(await mail.take(email)));
    expect(to).toMatch(/^303 \/verification\?flow=/);
    const { body } = await other.get("verification", to.slice(-36));
    expect([fieldsOf(body), messageIds(body)]).toEqual([
      ["default:csrf_token", "link:method"],
      [1080001],
    ]);
    const done = await other.send("verification", body, { method: "link" });
    expect([done.status, done.body.state]).toEqual([200, "passed_challenge"]);
    expect((await other.whoami()).status).toBe(401);
  });
});

describe("a device that was not used before", () => {
  const signIn = async (walker: Walker) => {
    const { body: flow } = await walker.begin("login");
    const { status } = await walker.send("login", flow, {
      method: "password",
      identifier: email,
      password: PASSWORD,
    });
    expect(status).toBe(200);
  };
  const signOut = (walker: Walker) => walker.jar.set("ory_kratos_session", "");

  test("is told by mail; the first one and known ones are not", async () => {
    const [first, second] = [new Walker(server), new Walker(server)];
    await signIn(first);
    signOut(first);
    await signIn(first);
    await signIn(second);
    const notice = await mail.take(
      email,
      ({ subject }) => subject === "New sign-in to your account",
    );
    expect(notice.text).toContain("from 127.0.0.1");
    signOut(second);
    await signIn(second);
    const program = new Walker(server, { isProgram: true });
    await signIn(program);
    await mail.take(email, ({ subject }) => subject === "New sign-in to your account");
    await signIn(new Walker(server, { isProgram: true }));
    await askForCode(new Walker(server));
    await mail.take(email, ({ subject }) => subject.startsWith("Sign in"));
    expect(
      mail.received.filter(({ to, subject }) => to.includes(email) && subject.startsWith("New")),
    ).toHaveLength(2);
  });
});
