import { mkdtempSync, rmSync } from "node:fs";
import { Configuration, FrontendApi } from "@ory/kratos-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "#platform/clock.ts";
import { createLog } from "#platform/log.ts";
import { type App, createApp } from "./app.ts";
import { Walker } from "./features/identity/testing/flows.ts";
import type { IdentityServer } from "./features/identity/testing/identity-server.ts";
import {
  codeIn,
  linkIn,
  type MailServer,
  startMailServer,
} from "./features/identity/testing/mail-server.ts";
import {
  account,
  go,
  provider,
  PUBLIC,
  SECRET,
  startProvider,
} from "./features/identity/testing/oidc-browser.ts";
import { codeOf, keepBackupCodes, linkApp } from "./features/identity/testing/second-factors.ts";
import { testConfig, testDatabase } from "./testing/app.ts";

/**
 * Everything secret that passes through the whole program in a walk through every way of signing in is looked for
 * afterwards: in all rows of all tables, in all that was logged, and in what machines are told.
 */

const EMAIL = "ada@example.org";
const PASSWORDS = ["first plum on the windowsill", "second plum on the windowsill"] as const;
const WRONG = "somebody else's plum, 7 of them";

/** By what it is. */
const secrets = new Map<string, string>();
const logged: string[] = [];
let database: Awaited<ReturnType<typeof testDatabase>>;
let app: App;
let mail: MailServer;
let server: IdentityServer;
const consoleDirectory = mkdtempSync("/tmp/mainstay-console-");

beforeAll(async () => {
  await startProvider();
  mail = await startMailServer();
  database = await testDatabase();
  const config = testConfig({
    publicUrl: PUBLIC,
    registration: "open",
    signInByCode: true,
    smtpUrl: mail.url,
    oidcProviders: JSON.stringify([
      {
        id: "acme",
        label: "Acme",
        issuer_url: provider.issuer,
        client_id: "mainstay",
        client_secret: SECRET,
      },
    ]),
  });
  const log = createLog("trace", { write: (line) => void logged.push(line) });
  app = await createApp({ config, db: database.db, owner: database.owner, log, consoleDirectory });
  await app.listen();
  const client = new FrontendApi(
    new Configuration({
      basePath: `${app.localAddress}/api/.ory`,
      baseOptions: {
        validateStatus: () => true,
        maxRedirects: 0,
        headers: { accept: "application/json" },
      },
    }),
  );
  // What the walkers use of a server.
  server = { url: app.localAddress, client, ctx: { clock: systemClock } } as IdentityServer;
  keep("the client secret", SECRET);
  keep("a wrong password", WRONG);
  for (const [index, password] of PASSWORDS.entries()) keep(`password ${index + 1}`, password);
  await walk();
}, 120_000);
afterAll(async () => {
  await app.stop();
  await database.drop();
  await mail.stop();
  await provider.stop();
  rmSync(consoleDirectory, { recursive: true, force: true });
});

function keep(name: string, value: string | undefined): void {
  if (!value) throw new Error(`the walk met no ${name}`);
  secrets.set(name, value);
}

const post = (path: string, body: object, headers: Record<string, string>) =>
  fetch(app.localAddress + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const expectStatus = (status: number, { status: found, body }: { status: number; body: unknown }) =>
  expect([found, found === status || JSON.stringify(body)]).toEqual([status, true]);

/** Signs in with a password, and a second factor when there is one. */
async function signIn(password: string, second?: Record<string, string>): Promise<Walker> {
  const walker = new Walker(server);
  const { body: flow } = await walker.begin("login");
  const wrong = { method: "password", identifier: EMAIL, password: WRONG };
  expectStatus(400, await walker.send("login", flow, wrong));
  expectStatus(second ? 422 : 200, await walker.send("login", flow, { ...wrong, password }));
  if (!second) return walker;
  keep("a session of one factor", walker.jar.get("ory_kratos_session"));
  const { body: step } = await walker.begin("login", { aal: "aal2" });
  expectStatus(200, await walker.send("login", step, second));
  return walker;
}

async function walk(): Promise<void> {
  // Signing up, with a code.
  const first = new Walker(server);
  const { body: signUp } = await first.begin("registration");
  expectStatus(
    400,
    await first.send("registration", signUp, {
      method: "password",
      password: PASSWORDS[0],
      traits: { email: EMAIL, name: { first: "Ada", last: "Lovelace" } },
    }),
  );
  keep("the code of the registration", codeIn(await mail.take(EMAIL)));
  const code = secrets.get("the code of the registration")!;
  expectStatus(200, await first.send("registration", signUp, { method: "code", code }));
  keep("the first session", first.jar.get("ory_kratos_session"));
  keep("the browser's secret", first.jar.get("csrf_token_mainstay"));
  keep("the device", first.jar.get("mainstay_device"));

  // Second factors.
  const seed = await linkApp(server, first.jar);
  keep("the seed of the app", seed);
  const backup = await keepBackupCodes(server, first.jar);
  for (const [index, text] of backup.entries()) keep(`backup code ${index + 1}`, text);

  // In again, with each of them.
  const byApp = await signIn(PASSWORDS[0], {
    method: "totp",
    totp_code: codeOf(server, seed, 1),
  });
  keep("the session with the app", byApp.jar.get("ory_kratos_session"));
  const byBackup = await signIn(PASSWORDS[0], {
    method: "lookup_secret",
    lookup_secret: backup[0]!,
  });
  keep("the session with a backup code", byBackup.jar.get("ory_kratos_session"));

  // Another password.
  const { body: settings } = await byBackup.begin("settings");
  const changed = { method: "password", password: PASSWORDS[1] };
  expectStatus(200, await byBackup.send("settings", settings, changed));

  // Lost: by code, and by the link of the same kind of mail.
  const lost = new Walker(server);
  const { body: recovery } = await lost.begin("recovery");
  expectStatus(200, await lost.send("recovery", recovery, { method: "code", email: EMAIL }));
  const recoveryMail = await mail.take(EMAIL, ({ subject }) => subject.startsWith("Recover"));
  keep("the code of the recovery", codeIn(recoveryMail));
  keep("the link of the recovery", linkIn(recoveryMail).split("token=")[1]);
  await new Walker(server).visit(linkIn(recoveryMail));
  const recovered = await lost.send("recovery", recovery, {
    method: "code",
    code: codeIn(recoveryMail),
  });
  expectStatus(422, recovered);
  keep("the session of the recovery", lost.jar.get("ory_kratos_session"));

  // By code, as a program.
  const program = new Walker(server, { isProgram: true });
  const { body: login } = await program.begin("login");
  await program.send("login", login, { method: "code", identifier: EMAIL });
  const loginMail = await mail.take(EMAIL, ({ subject }) => subject.startsWith("Sign in"));
  keep("the code of the sign-in", codeIn(loginMail));
  const signedIn = { method: "code", code: codeIn(loginMail) };
  expectStatus(200, await program.send("login", login, signedIn));
  keep("the token of the program", program.token);

  // With a provider.
  const subject = account();
  provider.tamper = async (body) => {
    for (const name of ["access_token", "id_token"]) keep(`the ${name}`, String(body[name]));
    return body;
  };
  const back = await go(server, "login");
  keep("the session by the provider", back.jar.get("ory_kratos_session"));
  const person = { cookie: back.jar.toString() };

  // Access tokens, good and bad.
  const made = await post("/api/auth/tokens", { name: "laptop" }, person);
  const { access_token: token } = (await made.json()) as { access_token: string };
  keep("the access token", token.split(".")[0]);
  const notice = await mail.take(`${subject}@example.org`, (one) =>
    /access token/.test(one.subject),
  );
  expect(notice.text).toContain('"laptop"');
  expect(foundIn(notice.raw)).toEqual([]);
  const uses = [
    `Bearer ${token}`,
    `Basic ${Buffer.from(`token:${token}`).toString("base64")}`,
    `Bearer ${token.replace("mst_", "mst-")}`,
    `Basic ${Buffer.from(`${EMAIL}:${PASSWORDS[1]}`).toString("base64")}`,
    `Basic ${Buffer.from(`${EMAIL}:${WRONG}`).toString("base64")}`,
  ];
  const statuses: number[] = [];
  for (const authorization of uses) {
    keep(`the header ${authorization.slice(0, 9)}`, authorization.split(" ")[1]);
    const headers = { authorization };
    statuses.push((await fetch(`${app.localAddress}/api/auth/whoami`, { headers })).status);
  }
  expect(statuses).toEqual([200, 200, 401, 403, 401]);
  const file = await (
    await fetch(`${app.localAddress}/api/kubeconfig`, { method: "POST", headers: person })
  ).text();
  keep("the token of the kubeconfig", /password: (\S+)/.exec(file)?.[1]?.split(".")[0]);

  // An administrator's link.
  const admin = await app.createLocalSession();
  keep("the session of the machine", admin.token);
  const invited = await post(
    "/api/auth/invite_user",
    { firstName: "Bo", lastName: "Diddley", email: "bo@example.org" },
    { "x-session-token": admin.token },
  );
  const { link } = (await invited.json()) as { link: string };
  keep("the link of the invitation", link.split("token=")[1]);
  const sent = await mail.take("bo@example.org");
  keep("the mailed link of the invitation", linkIn(sent).split("token=")[1]);
  await admin.revoke();
}

/** Digits of a code stand alone; those of a moment follow a point. */
const shapeOf = (secret: string): RegExp => {
  const escaped = secret.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(/^\d{6}$/.test(secret) ? `(?<![\\d.])${escaped}(?!\\d)` : escaped, "i");
};

/** The secret as it is, without its dash, and as bytes are written. */
const formsOf = (secret: string): string[] =>
  secret.length < 10
    ? [secret]
    : [
        secret,
        secret.replace(/^(.{5})-(.{5})$/, "$1$2"),
        Buffer.from(secret).toString("hex"),
        Buffer.from(secret).toString("base64url").replace(/.$/, ""),
      ];

const foundIn = (text: string): string[] =>
  [...secrets]
    .filter(([, secret]) => formsOf(secret).some((form) => shapeOf(form).test(text)))
    .map(([name]) => name);

describe("after a walk through every way of signing in", () => {
  test("no secret is in any row of any table", async () => {
    const { rows: tables } = await database.db.raw(`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`);
    const texts: string[] = [];
    for (const { name } of tables as { name: string }[]) {
      const { rows } = await database.db.raw(`select t::text as row from ${name} t`);
      texts.push(...(rows as { row: string }[]).map(({ row }) => `${name} ${row}`));
    }
    const dump = texts.join("\n");
    // What was looked through is the walk's, and what is in it is found.
    expect(tables.length).toBeGreaterThan(40);
    expect(dump).toContain(EMAIL);
    expect(
      texts.filter((line) => line.startsWith("public.identity_sessions")).length,
    ).toBeGreaterThan(6);
    expect(dump).toMatch(/argon2id/);
    expect(foundIn(`${dump}\n${secrets.get("the seed of the app")}`)).toEqual([
      "the seed of the app",
    ]);
    expect(foundIn(dump)).toEqual([]);
  });

  test("no secret is in any line of the log, at its most talkative", () => {
    const log = logged.join("\n");
    expect(log).toContain('"msg":"signed in"');
    expect(log).toContain('"msg":"sign-in refused"');
    expect(log).toContain("/api/.ory/self-service/recovery");
    expect(foundIn(log)).toEqual([]);
  });

  test("mails are plain text, to one address each, and hold no other secret than their own", () => {
    expect(mail.received.length).toBeGreaterThan(6);
    for (const { raw, to, subject } of mail.received) {
      expect([subject, to.length]).toEqual([subject, 1]);
      expect(raw).toMatch(/^content-type: text\/plain/im);
      expect(raw).not.toMatch(/^content-type: (text\/html|multipart)/im);
      const own = foundIn(raw).filter((name) => !/^the (code|link|mailed link) of/.test(name));
      expect([subject, own]).toEqual([subject, []]);
    }
  });

  test("no secret is among the measurements", async () => {
    const text = await (await fetch(`${app.localAddress}/metrics`)).text();
    expect(text).toContain("/api/.ory/self-service/login");
    expect(foundIn(text)).toEqual([]);
  });
});
