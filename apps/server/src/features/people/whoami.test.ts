import { roleMatrix } from "@mainstay/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type IdentityServer,
  signInAsProgram,
  startIdentityServer,
} from "../identity/testing/identity-server.ts";

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer();
});
afterAll(() => server.stop());

const ask = (headers: Record<string, string>) =>
  fetch(`${server.url}/api/auth/whoami`, { headers });

test("says who is signed in and what they may do", async () => {
  const { id } = await server.createPerson("ada@example.org", "commander");
  const token = await signInAsProgram(server, "ada@example.org");
  await server.db.raw(
    `update people set avatar = '/ada.png', properties = '{"role": "lead"}' where id = $1`,
    [id],
  );
  const reply = await ask({ "x-session-token": token });
  expect(reply.status).toBe(200);
  expect(await reply.json()).toEqual({
    message: "success",
    payload: {
      user: {
        id,
        name: "Ada Lovelace",
        email: "ada@example.org",
        avatar: "/ada.png",
        properties: { role: "lead" },
      },
      roles: ["commander"],
      permissions: expect.arrayContaining([
        { subject: "commander", object: "incident", action: "write" },
        { subject: "commander", object: "canaries", action: "read" },
      ]),
      code_roles: ["admin"],
      hostname: expect.stringMatching(/./),
    },
  });
});

test("somebody without a role is a viewer, and an unknown role grants nothing", async () => {
  const { id } = await server.createPerson("grace@example.org");
  await server.db.raw("insert into casbin_rule (ptype, v0, v1) values ('g', $1, 'owner')", [id]);
  const token = await signInAsProgram(server, "grace@example.org");
  const { payload } = (await (await ask({ "x-session-token": token })).json()) as {
    payload: { roles: string[]; permissions: { action: string }[]; user: object };
  };
  expect(payload.roles).toEqual(["viewer"]);
  expect(payload.user).toMatchObject({ properties: {} });
  expect(payload.permissions).toHaveLength(roleMatrix.viewer.read.length);
  expect(payload.permissions.every(({ action }) => action === "read")).toBe(true);
});

test("a person who was deleted a moment ago is nobody", async () => {
  const { id } = await server.createPerson("gone@example.org");
  const headers = { "x-session-token": await signInAsProgram(server, "gone@example.org") };
  expect((await ask(headers)).status).toBe(200);
  await server.db.raw("update people set deleted_at = now() where id = $1", [id]);
  expect((await ask(headers)).status).toBe(401);
});

test("nobody is told so", async () => {
  const reply = await ask({});
  expect([reply.status, await reply.json()]).toEqual([
    401,
    { error: "Not logged in", message: "Not logged in", code: "unauthenticated" },
  ]);
});

test("without sign-in there is nobody to name", async () => {
  const open = await startIdentityServer(
    { checkerOnly: true },
    { kind: "anonymous", readOnly: true, resources: ["canaries"] },
  );
  try {
    expect((await fetch(`${open.url}/api/auth/whoami`)).status).toBe(401);
  } finally {
    await open.stop();
  }
});
