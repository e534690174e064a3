import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

/** A NUL in every spelling that an address has, half of a pair, and bytes that are no UTF-8. */
const unreadable = ["%00", "a%00b", "%C0%80", "%ED%A0%80", "%FF", "%E0%A4%A", "%"];

test.each([
  "/api/.ory/sessions/whoami?x=",
  "/api/.ory/self-service/errors?id=",
  "/api/.ory/self-service/login/flows?id=",
  "/api/.ory/self-service/login/browser?return_to=",
  "/api/.ory/schemas/",
  "/api/properties?name=",
  "/api/canary/api/graph?check=",
  "/api/canary/api/summary?name=",
  "/api/canary/health?x=",
  "/api/events?tables=",
  "/api/auth/tokens?x=",
  "/api/auth/whoami?x=",
  "/api/rbac/dump?x=",
  "/api/there/is/no/such?x=",
])("GET %s with what is no text is 400", async (address) => {
  for (const value of unreadable)
    expect([value, (await app.admin.get(`${address}${value}`)).status]).toEqual([value, 400]);
});

test("the data API answers so too, and takes a per cent sign as it was typed", async () => {
  for (const value of ["%00", "a%00b", "%25%00"])
    for (const address of [
      `/api/db/people?name=eq.${value}`,
      `/api/db/people?name=ilike.*${value}*`,
      `/api/db/people?name.filter=${value}`,
      `/api/db/people?name=in.(${value})`,
      `/api/db/people?select=${value}`,
      `/api/db/people?order=${value}`,
      `/api/db/people?or=(name.eq.${value})`,
      `/api/db/canaries?labels->>${value}=eq.a`,
      `/api/db/canaries?labels=cs.{"a":"${value}"}`,
    ])
      expect([address, (await app.admin.get(address)).status]).toEqual([address, 400]);
  expect((await app.admin.get("/api/db/people?name=ilike.*50%*")).status).toBe(200);
});

test.each(["\u0000", "a\u0000b"])("%j in a body is 400 too", async (text) => {
  for (const [address, body] of [
    ["/api/resources/search", { checks: [{ name: text }] }],
    ["/api/resources/search", { checks: [{ search: `name=${text}` }] }],
    ["/api/resources/search", { checks: [{ labelSelector: `${text}=a` }] }],
    ["/api/db/teams", { name: text, source: "UI" }],
    ["/api/db/properties", { name: "a", value: text }],
  ] as const)
    expect([address, (await app.admin.post(address, body)).status]).toEqual([address, 400]);
});

test("half of a pair in a document is 400 as well", async () => {
  const answer = await app.admin.post("/api/documents", {
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name: "halves", labels: { team: "\ud83d" } },
    spec: { http: [{ name: "shop", url: "https://shop.example.org" }] },
  });
  expect(answer).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining("half of a pair") },
  });
});
