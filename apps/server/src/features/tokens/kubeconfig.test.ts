import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { client, startTestApp, type TestApp } from "../../testing/app.ts";
import { basic, bearer, signInAs } from "./testing/people.ts";

let server: TestApp;
beforeAll(async () => {
  const started = await startTestApp({ publicUrl: "https://ops.example.org" });
  // Nothing answers at that name here.
  const address = started.app.localAddress;
  server = { ...started, address, nobody: client(address) };
});
afterAll(() => server.stop());

test("is a file with a new token that does not expire", async () => {
  const ada = await signInAs(server, "editor");
  const reply = await ada.get("/api/kubeconfig");
  expect(reply.status).toBe(200);
  expect(reply.headers.get("content-type")).toBe("text/yaml; charset=utf-8");
  expect(reply.headers.get("content-disposition")).toBe(
    'attachment; filename="ops.example.org-kubeconfig.yaml"',
  );
  expect(reply.headers.get("cache-control")).toBe("no-store");
  const file = parse(reply.text);
  const { password } = file.users[0].user;
  expect(file).toEqual({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "mainstay-ops.example.org",
        cluster: { server: "https://ops.example.org/api/kubeproxy" },
      },
    ],
    users: [{ name: "token", user: { username: "token", password } }],
    contexts: [
      { name: "default", context: { cluster: "mainstay-ops.example.org", user: "token" } },
    ],
    "current-context": "default",
  });
  const whoami = await server.nobody.get("/api/auth/whoami", basic("token", password));
  expect(whoami.json.payload).toMatchObject({ user: { id: ada.id }, roles: ["editor"] });
  expect((await ada.get("/api/auth/tokens")).json.tokens).toMatchObject([
    { kind: "kubeconfig", expires_at: null, name: expect.stringMatching(/^kubeconfig-\d+$/) },
  ]);
});

test("two in one second are two tokens", async () => {
  const ada = await signInAs(server, "viewer");
  const replies = await Promise.all([ada.get("/api/kubeconfig"), ada.get("/api/kubeconfig")]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  const { tokens } = (await ada.get("/api/auth/tokens")).json;
  expect(new Set(tokens.map(({ name }: { name: string }) => name)).size).toBe(2);
});

test("a link on another site sets nothing off", async () => {
  const ada = await signInAs(server, "viewer");
  const cookie = `ory_kratos_session=${ada.token}`;
  const from = (site: string) =>
    server.nobody.get("/api/kubeconfig", { cookie, "sec-fetch-site": site });
  expect((await from("cross-site")).status).toBe(403);
  expect((await from("same-site")).status).toBe(403);
  expect((await ada.get("/api/auth/tokens")).json.tokens).toEqual([]);
  expect((await from("same-origin")).status).toBe(200);
  expect((await from("none")).status).toBe(200);
});

test("without a cluster behind the server its address says so", async () => {
  const ada = await signInAs(server, "viewer");
  const token = await ada.makeToken({ name: "x" });
  const reply = await server.nobody.get("/api/kubeproxy/api/v1/pods", bearer(token));
  expect([reply.status, reply.json.error]).toEqual([
    501,
    "This server has no Kubernetes cluster that it hands requests on to.",
  ]);
  expect((await server.nobody.get("/api/kubeproxy/api/v1/pods")).status).toBe(401);
});
