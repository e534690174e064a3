import { afterAll, beforeAll, expect, test } from "vitest";
import { request } from "node:http";
import { startTestApp, type TestApp } from "./testing/app.ts";

/** Where everybody may write without signing in, there is no cookie that another site's page would lack. */

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ checkerOnly: true, checkerWrite: true, role: "api" });
});
afterAll(() => app.stop());

let made = 0;
const canary = () =>
  JSON.stringify({
    name: `planted-${(made += 1)}`,
    namespace: "default",
    spec: { schedule: "@every 1h", http: [{ name: "x", url: "http://127.0.0.1/" }] },
  });

/** As a page sends it that needs no permission of this server: text of no type, and no question before. */
function send(headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${app.address}/api/db/canaries`,
      { method: "POST", headers },
      (reply) => {
        reply.resume();
        resolve(reply.statusCode ?? 0);
      },
    );
    asked.on("error", reject);
    asked.end(canary());
  });
}

test.each<[string, number, (own: URL) => Record<string, string>]>([
  [
    "another site's page",
    403,
    () => ({ origin: "https://evil.example", "sec-fetch-site": "cross-site" }),
  ],
  [
    "another port's page",
    403,
    ({ hostname }) => ({ origin: `http://${hostname}:1`, "sec-fetch-site": "same-site" }),
  ],
  ["a page without a name", 403, () => ({ origin: "null" })],
  [
    "a page whose name was made to lead here",
    403,
    ({ port }) => ({
      host: `evil.example:${port}`,
      origin: `http://evil.example:${port}`,
      "sec-fetch-site": "same-origin",
    }),
  ],
  ["a page of this server", 201, ({ origin }) => ({ origin, "sec-fetch-site": "same-origin" })],
])("%s", async (_what, status, headers) => {
  expect(await send(headers(new URL(app.address)))).toBe(status);
});
