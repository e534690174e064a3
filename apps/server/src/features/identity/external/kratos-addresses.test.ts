import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { pathOf, Walker } from "../testing/flows.ts";
import {
  type IdentityServer,
  PASSWORD,
  signInAsBrowser,
  startIdentityServer,
} from "../testing/identity-server.ts";
import { startKratosStandIn } from "../testing/kratos-stand-in.ts";
import { codeOf, linkApp } from "../testing/second-factors.ts";

let kratos: IdentityServer;
let standIn: Awaited<ReturnType<typeof startKratosStandIn>>;
let server: IdentityServer;
let email: string;
let secret: string;
let made = 0;
beforeAll(async () => {
  kratos = await startIdentityServer({ trustProxy: ["127.0.0.1"] });
  standIn = await startKratosStandIn(kratos);
  server = await startIdentityServer({ identityUrl: standIn.url });
});
afterAll(async () => {
  await server.stop();
  await standIn.stop();
  await kratos.stop();
});
beforeEach(async () => {
  email = `ada-${++made}@example.org`;
  await kratos.createPerson(email);
});

async function signIn(walker: Walker, query = {}) {
  const { body: flow } = await walker.begin("login", query);
  return walker.send("login", flow, { method: "password", identifier: email, password: PASSWORD });
}
const ory = (path: string) => `${server.url}/api/.ory${path}`;
const led = (answer: string) => /^303 (.*)$/.exec(answer)![1]!;

test("after the second step a browser is where it wanted to be, and not before it", async () => {
  secret = await linkApp(kratos, await signInAsBrowser(kratos, email));
  kratos.advance(60_000);
  const walker = new Walker(server);
  const half = await signIn(walker, { return_to: "/health" });
  expect([half.status, half.body]).toMatchObject([
    422,
    {
      redirect_browser_to: ory(
        `/self-service/login/browser?${new URLSearchParams({ aal: "aal2", return_to: "/health" }).toString()}`,
      ),
    },
  ]);
  const who = () =>
    fetch(`${server.url}/api/auth/whoami`, { headers: { cookie: walker.jar.toString() } });
  expect((await who()).status).toBe(401);

  // The settings are asked for, which need the second step first.
  const wanted = ory("/self-service/settings/browser?return_to=%2Fhealth");
  const step = led(await walker.visit(pathOf(wanted)));
  const { origin, pathname, searchParams } = new URL(step);
  expect([origin + pathname, Object.fromEntries(searchParams)]).toEqual([
    ory("/self-service/login/browser"),
    { aal: "aal2", return_to: wanted },
  ]);
  const page = led(await walker.visit(pathOf(step)));
  const { body: flow } = await walker.get("login", /^\/login\?flow=(.*)$/.exec(page)![1]!);
  expect(flow).toMatchObject({
    return_to: wanted,
    request_url: step,
    ui: { action: ory(`/self-service/login?flow=${flow.id}`) },
  });
  const done = await walker.send("login", flow, {
    method: "totp",
    totp_code: codeOf(kratos, secret),
  });
  expect([done.status, done.body.continue_with]).toEqual([
    200,
    [{ action: "redirect_browser_to", redirect_browser_to: wanted }],
  ]);
  const settings = led(await walker.visit(pathOf(wanted)));
  const opened = await walker.get(
    "settings",
    /^\/profile-settings\?flow=(.*)$/.exec(settings)![1]!,
  );
  expect(opened.body).toMatchObject({ return_to: "/health", request_url: wanted });
  expect((await who()).status).toBe(200);
});

test("a change that needs a fresh sign-in is done when the browser comes back from it", async () => {
  const walker = new Walker(server);
  await signIn(walker);
  kratos.advance(16 * 60_000);
  const { body: flow } = await walker.begin("settings", { return_to: "/health" });
  const changed = { method: "password", password: "another good password" };
  const refused = await walker.send("settings", flow, changed);
  const { redirect_browser_to: confirm } = refused.body as unknown as {
    redirect_browser_to: string;
  };
  const back = ory(`/self-service/settings?flow=${flow.id}`);
  expect([refused.status, new URL(confirm).searchParams.get("return_to")]).toEqual([403, back]);
  const page = led(await walker.visit(pathOf(confirm)));
  const { body: login } = await walker.get("login", /^\/login\?flow=(.*)$/.exec(page)![1]!);
  expect(login.return_to).toBe(back);
  await walker.send("login", login, { method: "password", identifier: email, password: PASSWORD });
  expect(led(await walker.visit(pathOf(back)))).toBe("/health");
  expect((await signIn(new Walker(server))).status).toBe(400);
});

test("other sites stay other sites", async () => {
  const walker = new Walker(server);
  for (const address of [
    "https://evil.example/api/.ory/self-service/login/browser",
    `${server.url}.evil.example/api/.ory/self-service/login/browser`,
    `${server.url}@evil.example/api/.ory/self-service/login/browser`,
    "//evil.example/api/.ory/self-service/login/browser",
  ]) {
    const { status } = await walker.begin("login", { return_to: address });
    expect([address, status]).toEqual([address, 400]);
  }
});

test("a session token as Bearer is passed on, and signs in to the data", async () => {
  const program = new Walker(server, { isProgram: true });
  await signIn(program);
  const ask = async (path: string, token: string) =>
    (await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } })).status;
  for (const path of [
    "/api/.ory/sessions/whoami",
    "/api/auth/whoami",
    "/api/db/people?select=id",
  ]) {
    expect([path, await ask(path, program.token!)]).toEqual([path, 200]);
    expect([path, await ask(path, "x".repeat(43))]).toEqual([path, 401]);
  }
});
