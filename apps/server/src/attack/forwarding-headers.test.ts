import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { client, startTestApp, type TestApp } from "../testing/app.ts";
import { createPerson, type TestPerson } from "../testing/people.ts";

/** Headers by which proxies say who asks, for what, and how: anybody can write them. */

const claims: Readonly<Record<string, string>> = {
  "x-forwarded-for": "192.0.2.7",
  "x-forwarded-host": "evil.example",
  "x-forwarded-proto": "https",
  "x-forwarded-port": "8443",
  "x-forwarded-prefix": "/evil",
  "x-forwarded-server": "evil.example",
  "x-forwarded-user": "admin@local",
  "x-forwarded-email": "admin@local",
  "x-remote-user": "admin@local",
  "remote-user": "admin@local",
  forwarded: 'for=192.0.2.7;host=evil.example;proto=https;by="[::1]"',
  "x-real-ip": "192.0.2.7",
  "x-client-ip": "192.0.2.7",
  "x-cluster-client-ip": "192.0.2.7",
  "true-client-ip": "192.0.2.7",
  "cf-connecting-ip": "192.0.2.7",
  "x-host": "evil.example",
  "x-original-host": "evil.example",
  "x-original-url": "/api/_health",
  "x-rewrite-url": "/api/_health",
  "x-original-uri": "/api/_health",
  "x-http-method-override": "DELETE",
  "x-http-method": "DELETE",
  "x-method-override": "DELETE",
  "x-wap-profile": "http://evil.example/",
  "x-custom-ip-authorization": "127.0.0.1",
  via: "1.1 evil.example",
};
/** What TRUST_PROXY is about; everything else is never believed. */
const believable = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"];

interface Told {
  action: string;
  hasSecureCookie: boolean;
  /** From where the last change came. */
  address: string | undefined;
  whoami: number;
  text: string;
}

/** What the server makes of a request: where it believes to be, who asks, from where, how, and for what. */
async function tell(
  app: TestApp,
  person: TestPerson,
  headers: Record<string, string>,
): Promise<Told> {
  const asked = client(app.app.localAddress);
  const form = await asked.get("/api/.ory/self-service/login/browser", headers);
  const changed = await asked.post(
    `/api/auth/${person.id}/properties`,
    { seen: JSON.stringify(headers) },
    { ...headers, "x-session-token": person.token },
  );
  const last = await app.db.first<{ address: string }>(sql`
    select address from audit_log
     where actor_id = ${person.id} order by created_at desc limit 1`);
  const { status } = await asked.get("/api/auth/whoami", headers);
  return {
    action: form.json.ui.action.replace(/\?.*/, ""),
    hasSecureCookie: form.headers.getSetCookie().some((cookie) => /;\s*secure/i.test(cookie)),
    address: last?.address,
    whoami: status,
    text: `${changed.status}`,
  };
}

describe.each<[string, string[]]>([
  ["nobody is trusted", []],
  ["another machine is trusted", ["198.51.100.1"]],
])("while %s", (_what, trustProxy) => {
  let app: TestApp;
  let person: TestPerson;
  beforeAll(async () => {
    app = await startTestApp({ role: "api", logLevel: "fatal", trustProxy });
    person = await createPerson(app, "admin");
  });
  afterAll(() => app.stop());

  test("no header changes what is told, to whom, or what is done", async () => {
    const plain = await tell(app, person, {});
    expect(plain).toEqual({
      action: `${app.address}/api/.ory/self-service/login`,
      hasSecureCookie: false,
      address: "127.0.0.1",
      whoami: 401,
      text: "200",
    });
    for (const [name, value] of Object.entries(claims))
      expect([name, await tell(app, person, { [name]: value })]).toEqual([name, plain]);
    expect(await tell(app, person, claims)).toEqual(plain);
  });
});

describe("while this machine is trusted", () => {
  let app: TestApp;
  let person: TestPerson;
  beforeAll(async () => {
    app = await startTestApp({ role: "api", logLevel: "fatal", trustProxy: ["127.0.0.1"] });
    person = await createPerson(app, "admin");
  });
  afterAll(() => app.stop());

  test("three headers are believed, and no other", async () => {
    const plain = await tell(app, person, {});
    for (const [name, value] of Object.entries(claims)) {
      if (believable.includes(name)) continue;
      expect([name, await tell(app, person, { [name]: value })]).toEqual([name, plain]);
    }
    expect(await tell(app, person, claims)).toEqual({
      action: "https://evil.example/api/.ory/self-service/login",
      hasSecureCookie: true,
      address: "192.0.2.7",
      whoami: 401,
      text: "200",
    });
  });

  test("of a list of addresses the last that is not trusted counts, whatever a client wrote before it", async () => {
    for (const forged of ["127.0.0.1", "198.51.100.9, 127.0.0.1", "unknown", "::1", "[::1]:80", ""])
      expect((await tell(app, person, { "x-forwarded-for": `${forged}, 192.0.2.7` })).address).toBe(
        "192.0.2.7",
      );
  });
});

test("PUBLIC_URL is the address that is told, whatever the headers say", async () => {
  const app = await startTestApp({
    role: "api",
    logLevel: "fatal",
    trustProxy: ["127.0.0.1"],
    publicUrl: "https://mainstay.example.org",
  });
  try {
    const { json, headers } = await client(app.app.localAddress).get(
      "/api/.ory/self-service/login/browser",
      claims,
    );
    expect(json.ui.action).toMatch(/^https:\/\/mainstay\.example\.org\//);
    expect(JSON.stringify([json, [...headers]])).not.toContain("evil.example");
  } finally {
    await app.stop();
  }
});
