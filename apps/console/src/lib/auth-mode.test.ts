// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from "vitest";
import { fakeApi } from "../testing/fake-api.ts";
import { readAuthMode } from "./auth-mode.ts";

afterEach(() => vi.unstubAllGlobals());

test.each([
  ["the server's answer", 200, { mode: "own" }, { mode: "own" }],
  [
    "a provider",
    200,
    { mode: "hosted", issuer: "https://id" },
    { mode: "hosted", issuer: "https://id" },
  ],
  ["a server that does not know the question", 404, {}, { mode: "own" }],
  ["a server that wants a session for it", 401, {}, { mode: "own" }],
])("%s", async (_what, status, body, mode) => {
  fakeApi({ "GET /api/auth/mode": () => ({ status, body }) });
  expect(await readAuthMode()).toEqual(mode);
});

test("without an answer nothing is assumed", async () => {
  fakeApi({
    "GET /api/auth/mode": () => ({ status: 503, body: { error: "the database is away" } }),
  });
  await expect(readAuthMode()).rejects.toThrow("the database is away");
});
