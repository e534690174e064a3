import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { signInLimits } from "../password/attempt-limits.ts";
import { createRecoveryLink } from "../index.ts";
import {
  askForRecovery,
  fieldIds,
  type FlowBody,
  messageIds,
  pathOf,
  Walker,
} from "../testing/flows.ts";
import { type IdentityServer, startIdentityServer } from "../testing/identity-server.ts";
import { codeIn, linkIn, type MailServer, startMailServer } from "../testing/mail-server.ts";

let mail: MailServer;
let server: IdentityServer;
let email: string;
let id: string;
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
  ({ id } = await server.createPerson(email));
});
const askForCode = (walker: Walker, address = email) => askForRecovery(walker, address);

test("of many uses of one code at once one succeeds", async () => {
  const walker = new Walker(server);
  const sent = await askForCode(walker);
  const code = codeIn(await mail.take(email));
  const many = await Promise.all(
    Array.from({ length: 4 }, () =>
      server.client.updateRecoveryFlow({
        flow: sent.id,
        cookie: walker.jar.toString(),
        updateRecoveryFlowBody: {
          method: "code",
          code,
          csrf_token: sent.ui.nodes[0]!.attributes.value as string,
        },
      }),
    ),
  );
  expect(many.filter(({ status }) => status === 422)).toHaveLength(1);
  const { rows } = await server.db.raw(
    "select count(*)::int as n from identity_sessions where identity_id = $1",
    [id],
  );
  expect(rows).toEqual([{ n: 1 }]);
});

describe("what is not let in", () => {
  test("known, unknown and deactivated addresses are answered alike", async () => {
    await server.createPerson("off@example.org");
    await server.db.raw(
      "update identities set state = 'inactive' where traits ->> 'email' = 'off@example.org'",
    );
    const before = mail.received.length;
    const answers: unknown[] = [];
    for (const address of [email, "nobody@example.org", "off@example.org"]) {
      const walker = new Walker(server);
      const sent = await askForCode(walker, address);
      const codes = [];
      for (let tries = 0; tries < 7; tries += 1) {
        const { status, body } = await walker.send("recovery", sent, {
          method: "code",
          code: "000000",
        });
        codes.push([status, messageIds(body)]);
      }
      answers.push([sent.ui.messages, sent.state, codes]);
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(answers[0]).toMatchObject([
      {},
      "sent_email",
      [...Array.from({ length: 5 }, () => [400, [4060006]]), [400, [4060002]], [400, [4060002]]],
    ]);
    await mail.take(email);
    // The only one of the three; the queue works them off in order.
    await askForCode(new Walker(server), email);
    await mail.take(email);
    expect(mail.received.length - before).toBe(2);
  });

  test.each<[string, string]>([
    ["nothing", ""],
    ["letters", "abcdef"],
    ["too few digits", "12345"],
    ["too many digits", "1234567"],
    ["SQL", "' or 1=1 --"],
    ["a zero byte", "12345\u0000"],
    ["Arabic digits", "١٢٣٤٥٦"],
    ["a long text", "1".repeat(10_000)],
  ])("%s as a code", async (_name, code) => {
    const walker = new Walker(server);
    const sent = await askForCode(walker);
    await mail.take(email);
    const { status, body } = await walker.send("recovery", sent, { method: "code", code });
    expect(status).toBe(400);
    expect([...messageIds(body), ...fieldIds(body, "code")]).toEqual([
      code === "" ? 4000002 : 4060006,
    ]);
    expect((await walker.whoami()).status).toBe(401);
  });

  test("a code that expired, one that was replaced, one of another flow, one after the address changed", async () => {
    const walker = new Walker(server);
    const first = await askForCode(walker);
    const firstCode = codeIn(await mail.take(email));
    const again = await walker.send("recovery", first, { email });
    expect(again.body.state).toBe("sent_email");
    const secondCode = codeIn(await mail.take(email));
    const tryCode = async (flow: FlowBody, code: string) =>
      messageIds((await walker.send("recovery", flow, { method: "code", code })).body);
    if (firstCode !== secondCode) expect(await tryCode(first, firstCode)).toEqual([4060006]);
    const other = await askForCode(walker);
    const otherCode = codeIn(await mail.take(email));
    if (otherCode !== secondCode) expect(await tryCode(first, otherCode)).toEqual([4060006]);
    // A clock that is set back lets nothing live longer than it says, and one that jumps ends it.
    server.advance(16 * 60_000);
    expect(await tryCode(other, otherCode)).toEqual([4060006]);
    server.advance(-16 * 60_000);

    await server.db.raw("delete from identity_codes where identity_id = $1", [id]);
    expect(await tryCode(first, secondCode)).toEqual([4060006]);
    expect((await walker.whoami()).status).toBe(401);
  });

  test("a flow or token of another browser, and no token", async () => {
    const [mine, theirs] = [new Walker(server), new Walker(server)];
    const sent = await askForCode(mine);
    const code = codeIn(await mail.take(email));
    await theirs.begin("recovery");
    for (const [walker, fields] of [
      [theirs, {}],
      [mine, { csrf_token: "" }],
      [mine, { csrf_token: "x".repeat(43) }],
    ] as const) {
      const { status, body } = await walker.send("recovery", sent, {
        method: "code",
        code,
        ...fields,
      });
      expect([status, body]).toMatchObject([403, { error: { id: "security_csrf_violation" } }]);
    }
    expect((await theirs.get("recovery", sent.id)).status).toBe(403);
  });

  test.each([
    "nobody",
    "a@b@c",
    "x@y\r\nBcc: z@w",
    "<a@b.example>",
    "a@b,c@d",
    `${"a".repeat(400)}@b.c`,
  ])("%j is no address", async (address) => {
    const walker = new Walker(server);
    const { body: flow } = await walker.begin("recovery");
    const { status, body } = await walker.send("recovery", flow, {
      method: "code",
      email: address,
    });
    expect([status, fieldIds(body, "email")]).toEqual([400, [4000004]]);
  });

  test("more mails than anybody needs, to one address from one place", async () => {
    const walker = new Walker(server);
    const sent = await askForCode(walker);
    const statuses = [];
    for (let mails = 0; mails < 6; mails += 1) {
      const { status, headers, body } = await walker.send("recovery", sent, { email });
      statuses.push(status);
      if (status === 400)
        expect([messageIds(body), Number(headers["retry-after"])]).toEqual([
          [4000001],
          expect.closeTo(300, -2),
        ]);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 400, 400]);
  });

  test("who is signed in is told so; a link is for whom it was made", async () => {
    const walker = new Walker(server);
    const { body: login } = await walker.begin("login");
    await walker.send("login", login, {
      method: "password",
      identifier: email,
      password: "correct horse battery staple",
    });
    const begun = await walker.begin("recovery");
    expect([begun.status, begun.body]).toMatchObject([
      400,
      { error: { id: "session_already_available" } },
    ]);
    const other = await server.createPerson(`other-${made}@example.org`);
    const { link } = await createRecoveryLink(server.ctx, other.id);
    const flowId = (await walker.visit(pathOf(link))).slice(-36);
    const { body: flow } = await walker.get("recovery", flowId);
    const done = await walker.send("recovery", flow, { method: "link" });
    expect(done.status).toBe(422);
    expect((await walker.whoami()).body).toMatchObject({ identity: { id: other.id } });
  });

  test.each(["", "x", "x".repeat(43), "%00", "' or 1=1 --"])(
    "link %j leads to a form that says so",
    async (token) => {
      const walker = new Walker(server);
      const to = await walker.visit(
        `/api/.ory/self-service/recovery?token=${encodeURIComponent(token)}`,
      );
      const { body } = await walker.get("recovery", to.slice(-36));
      expect(messageIds(body)).toEqual([4060004]);
    },
  );
});

test("guessing from everywhere ends, and the link in the mail still lets its reader in", async () => {
  // Five tries for a code, five mails from one network: so the wrong ones come from many, by many flows.
  const limits = server.ctx.service(signInLimits);
  const guesser = new Walker(server);
  const sent = await askForCode(guesser);
  const received = await mail.take(email);
  for (let index = 0; index < 200; index += 1) expect(limits.takeCode(email)).toBe(0);
  const right = await guesser.send("recovery", sent, { method: "code", code: codeIn(received) });
  expect([right.status, right.headers["retry-after"]]).toEqual([400, "300"]);
  expect(right.body.ui.messages?.[0]?.text).toMatch(/Try again in/);

  const reader = new Walker(server);
  const page = await reader.visit(pathOf(linkIn(received)));
  const { body: flow } = await reader.get("recovery", page.split("flow=")[1]!);
  expect((await reader.send("recovery", flow, { method: "link" })).status).toBe(422);
  expect((await reader.whoami()).status).toBe(200);
});

test("a code goes to the address that is kept, not to one that the database takes for the same", async () => {
  const typed = email.toUpperCase();
  await askForCode(new Walker(server), typed);
  await mail.take(email);
  expect(mail.received.flatMap(({ to }) => to)).not.toContain(typed);
  // In small letters this one is an i for the database, and a letter of its own for a mail server.
  const { id: vik } = await server.createPerson("vikki@example.org");
  const walker = new Walker(server);
  const { body: flow } = await walker.begin("recovery");
  const { body } = await walker.send("recovery", flow, {
    method: "code",
    email: "v\u0130kki@example.org",
  });
  expect(fieldIds(body, "email")).toHaveLength(1);
  expect(await server.db.rows(sql`select from identity_codes where identity_id = ${vik}`)).toEqual(
    [],
  );
});
