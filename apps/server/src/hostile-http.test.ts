import { connect } from "node:net";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startTestApp, type TestApp } from "./testing/app.ts";
import { createPerson } from "./testing/people.ts";

/** What no browser sends, byte by byte, to the whole program. */

let app: TestApp;
let port: number;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  port = Number(new URL(app.address).port);
});
afterAll(() => app.stop());

/** Sends these bytes and reads until the server hangs up; the statuses that it has answered. */
function send(lines: readonly string[]): Promise<{ statuses: number[]; text: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    socket.on("error", reject).on("close", () => {
      const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) =>
        Number(status),
      );
      resolve({ statuses, text });
    });
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  });
}

const host = "Host: 127.0.0.1";
const close = "Connection: close";
const login = "/api/.ory/self-service/login";

describe("what is too much is refused", () => {
  test.each<[string, string[]]>([
    ["a long header", [`X-A: ${"a".repeat(100_000)}`]],
    ["thousands of headers", Array.from({ length: 5_000 }, (_, index) => `x${index}: 1`)],
    [
      "thousands of cookies",
      [`Cookie: ${Array.from({ length: 2_000 }, (_, index) => `c${index}=1`).join("; ")}`],
    ],
  ])("%s", async (_what, headers) => {
    const { statuses } = await send(["GET /api/_health HTTP/1.1", host, close, ...headers]);
    expect(statuses).toEqual([431]);
  });

  test.each([
    ["/api/auth/tokens", 400],
    ["/api/resources/search", 400],
    ["/api/auth/invite_user", 413],
    ["/api/db/teams", 400],
    ["/api/db/canaries", 400],
  ])("a hundred thousand lists in lists, to %s", async (path, status) => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect((await app.admin.post(path, deep)).status).toBe(status);
    expect((await app.nobody.get("/api/_health")).status).toBe(200);
  });
});

describe("names that mean something to the machine mean nothing here", () => {
  test.each(["", 'a"b<c>', "a b", "evil.example/path", "evil.example?", "user@evil.example"])(
    "the host %j",
    async (name) => {
      const { statuses, text } = await send([
        `GET ${login}/browser HTTP/1.1`,
        `Host: ${name}`,
        "Accept: application/json",
        close,
      ]);
      expect(statuses).toEqual([400]);
      expect(text).not.toContain("self-service");
    },
  );

  test("cookies called after parts of every object", async () => {
    const { statuses } = await send([
      "GET /api/.ory/sessions/whoami HTTP/1.1",
      host,
      close,
      "Cookie: __proto__=x; constructor=y; toString=z; ory_kratos_session=%ff%00",
    ]);
    expect(statuses).toEqual([401]);
  });

  test.each([
    '{"name":"a","__proto__":{"kind":"service"}}',
    '{"name":"a","constructor":{"prototype":{}}}',
  ])("the body %s", async (body) => {
    expect((await app.admin.post("/api/auth/tokens", body)).status).toBe(400);
  });

  test("another method in a header", async () => {
    const { status } = await app.admin.request("POST", "/api/_health", undefined, {
      "x-http-method-override": "GET",
    });
    expect(status).toBe(404);
  });

  test("no path leads out of the console's files", async () => {
    for (const path of [
      "/assets/..%2f..%2fpackage.json",
      "/..%2f..%2f..%2fetc/passwd",
      "/assets/%2e%2e/x.js",
    ])
      expect((await app.nobody.get(path)).text).not.toMatch(/root:|"dependencies"/);
  });
});

describe("one person takes no more than their share", () => {
  test("asking about the stream of changes takes no place in it", async () => {
    const person = await createPerson(app);
    for (let asked = 0; asked < 40; asked += 1)
      expect((await person.request("HEAD", "/api/events")).status).toBe(200);
  });

  test("of many searches at once some are turned away, and nobody else's", async () => {
    const [greedy, modest] = [await createPerson(app), await createPerson(app)];
    const { replies } = await app.db.transaction(async (tx) => {
      await tx.run(sql`lock table checks in access exclusive mode`);
      let refused = 0;
      const many = Array.from({ length: 40 }, async () => {
        const reply = await greedy.post("/api/resources/search", { checks: [{ search: "x" }] });
        if (reply.status === 429) refused += 1;
        return reply.status;
      });
      // One holds a connection, thirty wait.
      await vi.waitFor(() => expect(refused).toBe(9), { timeout: 10_000, interval: 10 });
      const other = await modest.post("/api/resources/search", { configs: [{ search: "y" }] });
      expect(other.status).toBe(200);
      return { replies: many };
    });
    const statuses = await Promise.all(replies);
    expect(statuses.filter((status) => status === 200)).toHaveLength(31);
  });
});

describe("an address that looks like another's is no address", () => {
  test.each([
    "admin\u200b@local",
    "admin@lo\u00adcal",
    "\u2060admin@local",
    "ａdmin@local",
    "adm\u{e0061}in@local",
    "x@y.z\r\nBcc: e@example.org",
    "x@y.z, e@example.org",
    "x@y.z\0",
    '"x y"@example.org',
  ])("%j", async (email) => {
    const invited = await app.admin.post("/api/auth/invite_user", {
      firstName: "A",
      lastName: "B",
      email,
    });
    expect(invited.status).toBe(400);
  });

  test("capitals are the same address, what follows a plus is another", async () => {
    const invite = async (email: string) =>
      (await app.admin.post("/api/auth/invite_user", { firstName: "A", lastName: "B", email }))
        .status;
    expect(await invite("grace@example.org")).toBe(200);
    expect(await invite("GRACE@Example.org")).toBe(409);
    expect(await invite("grace+other@example.org")).toBe(200);
  });

  test.each(["A\r\nBcc: e@example.org", "A\0", "A\u202eB", " "])(
    "the name %j is none",
    async (firstName) => {
      const person = { firstName, lastName: "B", email: "somebody@example.org" };
      expect((await app.admin.post("/api/auth/invite_user", person)).status).toBe(400);
    },
  );
});
