import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { codeIn, type MailServer, startMailServer } from "./testing/mail-server.ts";

/** The whole program, its queue and its mail: the other tests put only the identity service together. */

let mail: MailServer;
let app: TestApp;
beforeAll(async () => {
  mail = await startMailServer();
  app = await startTestApp({ smtpUrl: mail.url, registration: "open" });
});
afterAll(async () => {
  await app.stop();
  await mail.stop();
});

test("somebody signs up with a code by mail, is nobody before and a viewer after", async () => {
  const service = "/api/.ory/self-service/registration";
  const { json: flow } = await app.nobody.get(`${service}/api`);
  const sent = await app.nobody.post(`${service}?flow=${flow.id}`, {
    method: "password",
    password: "seven green bottles",
    traits: { email: "grace@example.org", name: { first: "Grace", last: "Hopper" } },
  });
  expect([sent.status, sent.json.state]).toEqual([400, "sent_email"]);
  const code = codeIn(await mail.take("grace@example.org"));
  const done = await app.nobody.post(`${service}?flow=${flow.id}`, { method: "code", code });
  expect(done.status).toBe(200);
  const whoami = await app.nobody.get("/api/auth/whoami", {
    "x-session-token": done.json.session_token,
  });
  expect(whoami.json).toMatchObject({
    payload: { user: { name: "Grace Hopper", email: "grace@example.org" }, roles: ["viewer"] },
  });
  await vi.waitFor(async () => {
    const { json: history } = await app.admin.get(
      "/api/db/job_histories?name=eq.SendCode&select=status",
    );
    expect(history).toEqual([{ status: "SUCCESS" }]);
  });
});

test("the key that encrypts secrets is known by its name", async () => {
  const { rows } = await app.db.raw("select id from encryption_keys");
  expect(rows).toEqual([{ id: expect.stringMatching(/^[0-9a-f]{8}$/) }]);
});
