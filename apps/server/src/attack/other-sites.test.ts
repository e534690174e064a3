import { request } from "node:http";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eachLimited } from "#platform/each-limited.ts";
import { startTestApp, type TestApp } from "../testing/app.ts";
import { createPerson, type TestPerson } from "../testing/people.ts";
import { type Asked, countRoutes, endpointsOf } from "./testing/endpoints.ts";
import { isWhole, pairs } from "@mainstay/testkit/sample.ts";

/** Pages of other places make a browser send what its user did not mean, with the cookie of an administrator. */

let app: TestApp;
let victim: TestPerson;
let writing: Asked[];
let port: string;
beforeAll(async () => {
  app = await startTestApp({
    role: "api",
    logLevel: "fatal",
    publicUrl: "https://mainstay.example.org",
  });
  victim = await createPerson(app, "admin");
  port = new URL(app.app.localAddress).port;
  writing = endpointsOf(app).filter(({ isReading }) => !isReading);
});
afterAll(() => app.stop());

interface Place {
  what: string;
  headers: Record<string, string>;
}
const from = (what: string, origin: string, site?: string): Place => ({
  what,
  headers: { origin, ...(site ? { "sec-fetch-site": site } : {}) },
});

/** What a browser says of where a request comes from; the older ones have no `Sec-Fetch-Site`. */
const places = (): Place[] => [
  from("another site", "https://evil.example", "cross-site"),
  from("another site, older browser", "https://evil.example"),
  from("nowhere", "null", "cross-site"),
  from("nowhere, older browser", "null"),
  from("a sibling", "https://evil.example.org", "same-site"),
  from("a sibling, older browser", "https://evil.example.org"),
  from("a page below", "https://x.mainstay.example.org", "same-site"),
  from("another port", "http://127.0.0.1:1", "same-site"),
  from("another port of the name", "https://mainstay.example.org:444"),
  from("another scheme", "http://mainstay.example.org", "cross-site"),
  from("another scheme of the address", `https://127.0.0.1:${port}`),
  from("a name that begins like ours", "https://mainstay.example.org.evil.example"),
  from("a name that ends like ours", "https://evilmainstay.example.org"),
  from("a name with another dot", "https://mainstayxexample.org"),
  from("a user of that name", "https://mainstay.example.org@evil.example"),
  from("a file", "file://"),
  from("an extension", "chrome-extension://mainstay.example.org"),
  from("the number of this machine", `http://2130706433:${port}`),
  from("the number of this machine, shorter", `http://127.1:${port}`),
  from("the number of this machine as IPv6", `http://[::ffff:127.0.0.1]:${port}`),
  from("this machine by name", `http://localhost:${port}`),
  from("our name with a dot", "https://mainstay.example.org."),
  from("our name and a path", "https://mainstay.example.org/"),
  from("two places", "https://mainstay.example.org, https://evil.example"),
  from("an empty place", ""),
  { what: "no place, but another site", headers: { "sec-fetch-site": "cross-site" } },
  { what: "no place, but a referer", headers: { referer: "https://evil.example/" } },
  {
    what: "no place, but a referer that names us",
    headers: { referer: "https://evil.example/?https://mainstay.example.org/" },
  },
];

/** What a form can send without asking first, and what a script can. */
const types = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json",
];

interface Answer {
  status: number;
  text: string;
  cookies: string[];
}

function send(asked: Asked, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      app.app.localAddress + asked.path,
      {
        method: asked.method,
        headers: {
          cookie: `ory_kratos_session=${victim.token}`,
          "content-length": "2",
          ...headers,
        },
      },
      (reply) => {
        let text = "";
        reply.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        reply.on("end", () =>
          resolve({
            status: reply.statusCode ?? 0,
            text,
            cookies: reply.headers["set-cookie"] ?? [],
          }),
        );
      },
    );
    sent.on("error", reject);
    sent.end("{}");
  });
}

test("every route of the server is walked", () => {
  const { known, walked } = countRoutes(app);
  expect(walked).toBe(known);
  expect(writing.length).toBeGreaterThan(100);
});

test("no page of another place changes anything by any route", async () => {
  const cases = pairs(writing, places());
  const wrong: string[] = [];
  const before = await everything();
  let sent = 0;
  await eachLimited(cases, 6, async ([asked, { what, headers }]) => {
    for (const type of isWhole ? types : [types[(sent += 1) % types.length]!]) {
      const { status, text, cookies } = await send(asked, { "content-type": type, ...headers });
      // A route for nobody has no cookie to believe: it refuses for a reason of its own.
      const isRefused = asked.isOpen ? status >= 400 && status < 500 : status === 403;
      if (!isRefused || cookies.some((cookie) => cookie.startsWith("ory_kratos_session=")))
        wrong.push(`${asked.method} ${asked.route} from ${what}, ${type}: ${status} ${text}`);
    }
  });
  expect(wrong).toEqual([]);
  expect(await everything()).toEqual(before);
});

test("our own page is let through by every route", async () => {
  const wrong: string[] = [];
  // Ends sessions, the one that asks among them.
  const ending = writing.filter(({ route }) => !route.includes("/sessions"));
  await eachLimited(ending, 6, async (asked) => {
    const origin = `http://127.0.0.1:${port}`;
    const { status, text } = await send(asked, {
      "content-type": "application/json",
      origin,
      "sec-fetch-site": "same-origin",
    });
    if (text.includes("came from another site") || status === 401)
      wrong.push(`${asked.method} ${asked.route}: ${status} ${text.slice(0, 200)}`);
  });
  expect(wrong).toEqual([]);
});

/** How much there is of what the routes change. */
const everything = () =>
  app.db.first(sql`
    select (select count(*) from identities) as people, (select count(*) from access_tokens) as tokens,
           (select count(*) from identity_sessions where active) as sessions,
           (select count(*) from audit_log) as changes, (select count(*) from canaries) as canaries,
           (select count(*) from casbin_rule) as roles`);
