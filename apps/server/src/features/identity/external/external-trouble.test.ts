import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type IdentityServer, startIdentityServer } from "../testing/identity-server.ts";

/** A service in trouble. */
let broken: Server;
let answer: (path: string) => [status: number, body: string] | undefined;
let lost: IdentityServer;
beforeAll(async () => {
  broken = createServer((request, response) => {
    const said = answer(request.url!);
    if (!said) return request.socket.destroy();
    response.writeHead(said[0], { "content-type": "application/json" }).end(said[1]);
  });
  await new Promise<void>((resolve) => broken.listen(0, "127.0.0.1", resolve));
  const { port } = broken.address() as AddressInfo;
  lost = await startIdentityServer({ identityUrl: `http://127.0.0.1:${port}` });
});
afterAll(async () => {
  await lost.stop();
  await new Promise((resolve) => broken.close(resolve));
});

const identity = { id: "0190a000-0000-0000-0000-000000000001", traits: { email: "a@b.example" } };
test.each<[string, [number, string] | undefined, number]>([
  ["is gone", undefined, 503],
  ["fails", [500, "{}"], 503],
  ["talks nonsense", [200, "<html>"], 503],
  ["says nothing of whom", [200, "{}"], 503],
  [
    "names an identity without an id",
    [200, JSON.stringify({ id: "s", identity: { traits: {} } })],
    503,
  ],
  ["knows no session", [401, "{}"], 401],
  ["wants a second factor", [403, JSON.stringify({ error: { id: "session_aal2_required" } })], 401],
  ["wants one in newer words", [422, "{}"], 401],
  ["has ended the session", [200, JSON.stringify({ id: "s", active: false, identity })], 401],
  [
    "has deactivated the identity",
    [200, JSON.stringify({ id: "s", identity: { ...identity, state: "inactive" } })],
    401,
  ],
  ["is well again", [200, JSON.stringify({ id: "s", active: true, identity })], 200],
])("that %s", async (_name, said, status) => {
  answer = () => said;
  const token = crypto.randomUUID();
  const reply = await fetch(`${lost.url}/api/auth/whoami`, {
    headers: { "x-session-token": token },
  });
  expect(reply.status).toBe(status);
  if (said === undefined)
    expect((await fetch(`${lost.url}/api/.ory/sessions/whoami`)).status).toBe(503);
});
