import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FlowBody, type Kind, Walker } from "#features/identity/testing/flows.ts";
import {
  csrfTokenOf,
  type IdentityServer,
  PASSWORD,
} from "#features/identity/testing/identity-server.ts";
import {
  codeIn,
  type MailServer,
  startMailServer,
} from "#features/identity/testing/mail-server.ts";
import {
  codeOf,
  keepBackupCodes,
  openStepUp,
  signInAsBrowser,
  someone,
  someoneWithApp,
  startFactorServer,
  submitLogin,
  whoami,
} from "#features/identity/testing/second-factors.ts";
import { amount, sample } from "@mainstay/testkit/sample.ts";

/** What was good once, for one thing and one person, used again, for another or by another. */

let mail: MailServer;
let server: IdentityServer;
beforeAll(async () => {
  mail = await startMailServer();
  server = await startFactorServer({
    smtpUrl: mail.url,
    signInByCode: true,
    registration: "open",
  });
});
afterAll(async () => {
  await server.stop();
  await mail.stop();
});

const SESSION = "ory_kratos_session";

describe("a code of an authenticator app", () => {
  const useCode = async (email: string, code: string) => {
    const jar = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, jar);
    const sent = { method: "totp" as const, totp_code: code };
    const { status } = await submitLogin(server, jar, flow, sent);
    return { status, after: (await whoami(server, jar)).status };
  };

  test("is taken once, however many send it at the same time", async () => {
    const { email, secret } = await someoneWithApp(server);
    const code = codeOf(server, secret);
    const jars = await Promise.all(
      Array.from({ length: amount(8, 3) }, () => signInAsBrowser(server, email)),
    );
    const flows = await Promise.all(jars.map((jar) => openStepUp(server, jar)));
    const answers = await Promise.all(
      jars.map((jar, at) =>
        submitLogin(server, jar, flows[at]!, { method: "totp", totp_code: code }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const open = await Promise.all(jars.map((jar) => whoami(server, jar)));
    expect(open.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await useCode(email, code)).toEqual({ status: 400, after: 403 });
  });

  test("is no code of somebody else's", async () => {
    const [ada, eve] = [await someoneWithApp(server), await someoneWithApp(server)];
    expect(await useCode(ada.email, codeOf(server, eve.secret))).toEqual({
      status: 400,
      after: 403,
    });
  });
});

test("a backup code is taken once, also by two at the same time, and is no code of an app", async () => {
  const { email, jar } = await someone(server);
  const codes = await keepBackupCodes(server, jar);
  const jars = await Promise.all([1, 2, 3].map(() => signInAsBrowser(server, email)));
  const use = async (at: number, body: object) =>
    (await submitLogin(server, jars[at]!, await openStepUp(server, jars[at]!), body as never))
      .status;
  const backup = { method: "lookup_secret", lookup_secret: codes[0]! };
  const atOnce = await Promise.all([use(0, backup), use(1, backup)]);
  expect(atOnce.filter((status) => status === 200)).toHaveLength(1);
  expect(await use(2, backup)).toBe(400);
  expect(await use(2, { method: "totp", totp_code: codes[1]! })).toBe(400);
  expect((await whoami(server, jars[2]!)).status).toBe(403);
});

describe("a mailed code", () => {
  const subjects: Partial<Record<Kind, RegExp>> = {
    login: /^Sign in/,
    recovery: /recover|password/i,
    verification: /confirm|verif/i,
  };
  const kinds: Kind[] = ["login", "recovery", "verification"];

  /** Begins a flow of that kind, up to the mail; the code in it. */
  async function askFor(kind: Kind, walker: Walker, email: string) {
    const { body: flow } = await walker.begin(kind);
    const field = kind === "login" ? { identifier: email } : { email };
    const { body: sent } = await walker.send(kind, flow, { method: "code", ...field });
    const received = await mail.take(email, ({ subject }) => subjects[kind]!.test(subject));
    return { sent, code: codeIn(received) };
  }
  const use = (kind: Kind, walker: Walker, flow: FlowBody, code: string, email: string) =>
    walker.send(kind, flow, {
      method: "code",
      code,
      ...(kind === "login" ? { identifier: email } : {}),
    });
  /** Whether a flow let somebody in. */
  const isIn = async (walker: Walker) => (await walker.whoami()).status === 200;

  test.each(
    sample(
      kinds.flatMap((from) => kinds.map((to) => [from, to] as const)),
      2,
    ),
  )("of %s is none of another %s", async (from, to) => {
    const { email } = await someone(server);
    const [first, second] = [new Walker(server), new Walker(server)];
    const mine = await askFor(from, first, email);
    const other = await askFor(to, second, email);
    // One in a million codes is the same.
    expect(mine.code).not.toBe(other.code);
    const { body } = await use(to, second, other.sent, mine.code, email);
    expect(body.state).not.toBe("passed_challenge");
    expect(await isIn(second)).toBe(false);
  });

  test("of somebody else's mail box is none", async () => {
    const [ada, eve] = [await someone(server), await someone(server)];
    const [adas, eves] = [new Walker(server), new Walker(server)];
    const { sent } = await askFor("recovery", adas, ada.email);
    const { code } = await askFor("recovery", eves, eve.email);
    const { body } = await use("recovery", adas, sent, code, ada.email);
    expect(body.state).not.toBe("passed_challenge");
    expect(await isIn(adas)).toBe(false);
  });

  test("is good once", async () => {
    const { email } = await someone(server);
    const walker = new Walker(server);
    const { sent, code } = await askFor("login", walker, email);
    expect((await use("login", walker, sent, code, email)).status).toBe(200);
    const thief = new Walker(server, { jar: walker.jar.copy() });
    thief.jar.delete(SESSION);
    expect((await use("login", thief, sent, code, email)).status).toBeGreaterThanOrEqual(400);
    expect(await isIn(thief)).toBe(false);
  });
});

describe("a form", () => {
  test("of one browser is none of another's: neither its token nor its cookie alone will do", async () => {
    const { email } = await someone(server);
    const [victim, thief] = [new Walker(server), new Walker(server)];
    const { body: flow } = await victim.begin("login");
    const { body: own } = await thief.begin("login");
    const sent = { method: "password", identifier: email, password: PASSWORD };
    for (const token of [csrfTokenOf(flow), csrfTokenOf(own), "", "x"]) {
      const { status } = await thief.send("login", flow, { ...sent, csrf_token: token });
      expect(status).toBe(403);
    }
    expect((await thief.whoami()).status).toBe(401);
  });

  test("that was used signs nobody in again", async () => {
    const { email } = await someone(server);
    const walker = new Walker(server);
    const { body: flow } = await walker.begin("login");
    const sent = { method: "password", identifier: email, password: PASSWORD };
    expect((await walker.send("login", flow, sent)).status).toBe(200);
    walker.jar.delete(SESSION);
    const { status } = await walker.send("login", flow, sent);
    expect(status).toBeGreaterThanOrEqual(400);
    expect((await walker.whoami()).status).toBe(401);
  });
});

describe("a session that was fixed before somebody signs in is not theirs afterwards", () => {
  const statusWith = async (token: string) =>
    (
      await fetch(`${server.url}/api/.ory/sessions/whoami`, {
        headers: { cookie: `${SESSION}=${token}` },
      })
    ).status;

  test.each(sample(["", "x", "a".repeat(43), "__proto__", "../x"], 1))("%j", async (planted) => {
    const { email } = await someone(server);
    const walker = new Walker(server);
    walker.jar.set(SESSION, planted);
    await signInAsBrowser(server, email, walker.jar);
    expect(walker.jar.get(SESSION)).not.toBe(planted);
    expect([await statusWith(planted), await statusWith(walker.jar.get(SESSION)!)]).toEqual([
      401, 200,
    ]);
  });

  test("one that had only the password is void once the second factor was shown", async () => {
    const { email, secret } = await someoneWithApp(server);
    const jar = await signInAsBrowser(server, email);
    const before = jar.get(SESSION)!;
    const flow = await openStepUp(server, jar);
    const sent = { method: "totp" as const, totp_code: codeOf(server, secret) };
    expect((await submitLogin(server, jar, flow, sent)).status).toBe(200);
    expect(await statusWith(before)).toBe(401);
    expect(await statusWith(jar.get(SESSION)!)).toBe(200);
  });
});
