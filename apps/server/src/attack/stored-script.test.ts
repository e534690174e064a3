import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { eachLimited } from "#platform/each-limited.ts";
import { startTestApp, type TestApp } from "../testing/app.ts";
import { createPerson, type TestPerson } from "../testing/people.ts";
import { ask } from "./testing/ask.ts";
import { endpointsOf } from "./testing/endpoints.ts";

/**
 * Script in every text that people, documents or monitored targets can set. That none of it runs in a browser is shown
 * in apps/e2e; here every answer says what it is, so that no browser takes it for a page.
 */

const payload = `<script>window.ran=1</script><img src=x onerror="window.ran=1">'"><svg/onload=window.ran=1>`;

let app: TestApp;
let admin: TestPerson;
beforeAll(async () => {
  const target = createServer((_request, response) =>
    response
      .writeHead(500, { "content-type": "text/html", "x-payload": payload })
      .end(JSON.stringify({ message: payload })),
  );
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
  app = await startTestApp({ logLevel: "fatal" });
  admin = await createPerson(app, "admin", { first: payload.slice(0, 60), last: "x" });
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
  await plant(url);
  target.closeAllConnections();
  target.close();
});
afterAll(() => app.stop());

/** Writes the payload wherever it is taken; what refuses it is as good. */
async function plant(url: string): Promise<void> {
  const texts: [path: string, body: object][] = [
    ["/api/db/teams", { name: payload, icon: payload, spec: { text: payload }, source: payload }],
    ["/api/db/properties", { name: payload, value: payload }],
    ["/api/auth/tokens", { name: payload.slice(0, 60) }],
    [`/api/auth/${admin.id}/properties`, { [payload]: payload }],
    [
      "/api/auth/invite_user",
      { firstName: payload, lastName: payload, email: "mallory@example.org" },
    ],
    [
      "/api/db/canaries",
      {
        name: "script",
        namespace: "default",
        labels: { payload: payload.slice(0, 60) },
        annotations: { payload },
        spec: {
          schedule: "@every 1h",
          icon: payload,
          http: [
            {
              name: payload,
              url,
              description: payload,
              icon: payload,
              labels: { text: payload },
              responseContent: payload,
            },
          ],
        },
      },
    ],
  ];
  const statuses = await Promise.all(
    texts.map(async ([path, body]) => (await admin.post(path, body)).status),
  );
  expect(Math.max(...statuses)).toBeLessThan(500);
  expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(2);
  // What the target says is in the row of the result.
  await vi.waitFor(
    async () =>
      expect(
        await app.db.first(
          sql`select 1 as there from check_statuses where details::text like '%window.ran%' limit 1`,
        ),
      ).toEqual({ there: 1 }),
    { timeout: 15_000, interval: 50 },
  );
}

/** What a browser reads as a page or as script of this server's. */
const active = /html|xml|javascript|svg|ecmascript|css/;

test("every answer says what it is, and that it is nothing else", async () => {
  const reading = endpointsOf(app).filter(({ isReading }) => isReading);
  const wrong: string[] = [];
  let holding = 0;
  await eachLimited(reading, 4, async ({ path, route }) => {
    // All rows of a table, not one that is not there.
    const address = route.startsWith("/api/db/") ? `${path.split("?", 1)[0]}?limit=200` : path;
    for (const accept of ["application/json", "text/html,*/*", "text/csv"]) {
      const reply = await ask(app, {
        method: "GET",
        path: address,
        headers: { accept, "x-session-token": admin.token },
      });
      const type = reply.headers.get("content-type") ?? "";
      const policy = reply.headers.get("content-security-policy") ?? "";
      if (reply.text.includes("window.ran")) holding += 1;
      const isScriptOfOurs = route.endsWith("webauthn.js");
      const faults = [
        reply.headers.get("x-content-type-options") === "nosniff" ? [] : ["no nosniff"],
        policy.includes("default-src 'self'") && !/unsafe-(?:inline|eval)/.test(policy)
          ? []
          : ["no policy"],
        reply.headers.get("x-frame-options") === "DENY" ? [] : ["may be framed"],
        reply.text === "" || type !== "" ? [] : ["no type"],
        active.test(type) && !isScriptOfOurs ? [`is ${type}`] : [],
      ].flat();
      wrong.push(...faults.map((fault) => `GET ${address} as ${accept}: ${fault}`));
    }
  });
  expect(wrong).toEqual([]);
  // The payload is in many of them, or this says nothing.
  expect(holding).toBeGreaterThan(5);
});

test("what is refused says so as data, also to a browser that asks for a page", async () => {
  const asked = encodeURIComponent(payload);
  for (const path of [
    `/api/${asked}`,
    `/api/db/${asked}`,
    `/api/db/people?select=${asked}`,
    `/api/schemas/${asked}`,
    `/api/.ory/schemas/${asked}`,
    `/api/canary/beat/${asked}`,
    `/api/canary/api/graph?check=${asked}`,
    `/api/.ory/self-service/login/flows?id=${asked}`,
    `/assets/${asked}.js`,
  ]) {
    const reply = await ask(app, {
      method: "GET",
      path,
      headers: { accept: "text/html", "x-session-token": admin.token },
    });
    // A browser in a flow is led to the page that tells.
    expect([path, reply.status >= 300, reply.headers.get("x-content-type-options")]).toEqual([
      path,
      true,
      "nosniff",
    ]);
    expect([path, reply.headers.get("content-type")]).not.toEqual([
      path,
      expect.stringMatching(active),
    ]);
  }
});
