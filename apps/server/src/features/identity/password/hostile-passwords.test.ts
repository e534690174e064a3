import { afterAll, beforeAll, expect, test } from "vitest";
import { Walker } from "../testing/flows.ts";
import {
  type IdentityServer,
  PASSWORD,
  sendLogin,
  signInAsBrowser,
  startIdentityServer,
} from "../testing/identity-server.ts";

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer();
});
afterAll(() => server.stop());

/** 1024 bytes, the most there may be: what a careless program leaves out or changes is in it. */
const strange = " Ünïcode Éé ";
const exact = `${strange}${"k7#Wq2!x ".repeat(120)}`.slice(0, 1024 - 2 - 4) + "Z ";

/** Signs in as a program; the address of every test is its own, and so is the count of its failures. */
async function status(identifier: string, password: string): Promise<number> {
  const { data: flow } = await server.client.createNativeLoginFlow({});
  return (await sendLogin(server, { flow: flow.id, fields: { identifier, password } })).status;
}

async function choose(email: string, password: string): Promise<Walker> {
  await server.createPerson(email);
  const walker = new Walker(server, { jar: await signInAsBrowser(server, email) });
  const { body: flow } = await walker.begin("settings");
  const { status: saved } = await walker.send("settings", flow, { method: "password", password });
  expect(saved).toBe(200);
  return walker;
}

test("a password counts as it was chosen, to the last sign", async () => {
  expect(Buffer.byteLength(exact)).toBe(1024);
  const email = "exact@example.org";
  await choose(email, exact);
  const changed = {
    "without its last sign": exact.slice(0, -1),
    "cut after 72 bytes": exact.slice(0, 70),
    trimmed: exact.trim(),
    "in small letters": exact.toLowerCase(),
    "written with other signs of the same look": exact.normalize("NFD"),
    "with one more": `${exact}x`,
  };
  for (const [how, password] of Object.entries(changed))
    expect([how, await status(email, password)]).toEqual([how, 400]);
  expect(await status(email, exact)).toBe(200);
});

test("a new password ends every other session, a program's too, and the old password", async () => {
  const email = "ends@example.org";
  const fresh = "a plum of another colour";
  await server.createPerson(email);
  const { data: flow } = await server.client.createNativeLoginFlow({});
  const program = await sendLogin(server, { flow: flow.id, fields: { identifier: email } });
  const token = (program.body as { session_token: string }).session_token;
  const [here, elsewhere] = [
    await signInAsBrowser(server, email),
    await signInAsBrowser(server, email),
  ];
  const walker = new Walker(server, { jar: here });
  const { body: settings } = await walker.begin("settings");
  await walker.send("settings", settings, { method: "password", password: fresh });
  const whoami = async (who: { cookie?: string; xSessionToken?: string }) =>
    (await server.client.toSession(who)).status;
  expect([
    await whoami({ cookie: here.toString() }),
    await whoami({ cookie: elsewhere.toString() }),
    await whoami({ xSessionToken: token }),
  ]).toEqual([200, 401, 401]);
  expect([await status(email, PASSWORD), await status(email, fresh)]).toEqual([400, 200]);
});

test("of two new passwords at once one is taken, and ends the session that chose the other", async () => {
  const email = "both@example.org";
  await server.createPerson(email);
  const walkers = [
    await signInAsBrowser(server, email),
    await signInAsBrowser(server, email),
    await signInAsBrowser(server, email),
  ].map((jar) => new Walker(server, { jar }));
  const chosen = walkers.map((_, index) => `a plum of colour number ${index}`);
  const flows = await Promise.all(walkers.map((walker) => walker.begin("settings")));
  const replies = await Promise.all(
    walkers.map((walker, index) =>
      walker.send("settings", flows[index]!.body, { method: "password", password: chosen[index] }),
    ),
  );
  const statuses = replies.map((reply) => reply.status);
  expect(statuses.toSorted((left, right) => left - right)).toEqual([200, 401, 401]);
  const alive = await Promise.all(walkers.map(async (walker) => (await walker.whoami()).status));
  expect(alive).toEqual(statuses);
  for (const [index, password] of chosen.entries())
    expect(await status(email, password)).toBe(statuses[index] === 200 ? 200 : 400);
  expect(await status(email, PASSWORD)).toBe(400);
});
