import fastify from "fastify";
import { afterAll, expect, test } from "vitest";
import { isSameSite } from "./request-origin.ts";

const app = fastify();
app.post("/", (request) => ({
  same: isSameSite(request, { publicUrl: "https://mainstay.example.org/" }),
}));
afterAll(() => app.close());

test.each<[boolean, Record<string, string>]>([
  [true, {}],
  [true, { "sec-fetch-site": "same-origin" }],
  [true, { "sec-fetch-site": "none" }],
  [true, { origin: "https://mainstay.example.org" }],
  [true, { origin: "http://127.0.0.1:3100" }],
  // Some browsers call a page and its own server on another port the same site.
  [true, { "sec-fetch-site": "same-site", origin: "http://127.0.0.1:3100" }],
  [true, { referer: "http://127.0.0.1:3100/health" }],
  [false, { "sec-fetch-site": "cross-site" }],
  [false, { "sec-fetch-site": "same-site" }],
  [false, { "sec-fetch-site": "cross-site", origin: "https://evil.example" }],
  [false, { "sec-fetch-site": "cross-site", referer: "http://127.0.0.1:3100/" }],
  [false, { "sec-fetch-site": "something new" }],
  [false, { origin: "https://evil.example" }],
  [false, { origin: "null" }],
  [false, { origin: "" }],
  [false, { origin: "http://mainstay.example.org" }],
  [false, { origin: "http://127.0.0.1:3101" }],
  [false, { referer: "https://evil.example/?http://127.0.0.1:3100/" }],
  [false, { referer: "nonsense" }],
])("same site: %s for %j", async (same, headers) => {
  const reply = await app.inject({
    method: "POST",
    url: "/",
    headers: { host: "127.0.0.1:3100", ...headers },
  });
  expect(reply.json()).toEqual({ same });
});
