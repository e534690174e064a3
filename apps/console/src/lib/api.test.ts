// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError, serverIssues, serverMessage } from "./api-error.ts";
import { request } from "./api.ts";
import { db } from "./db.ts";
import { fakeApi } from "../testing/fake-api.ts";

const assign = vi.fn<(address: string | URL) => void>();

/** A server that never answers. */
const silence = (_path: string, { signal }: { signal: AbortSignal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });

beforeEach(() => {
  assign.mockReset();
  vi.spyOn(window.location, "assign").mockImplementation(assign);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const failure = async (promise: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`expected an ApiError, got ${String(error)}`);
  return error;
};

test.each([
  [{ error: "no such canary" }, "no such canary"],
  [{ error: "", message: "bad spec" }, "bad spec"],
  [{ code: "23505", message: "duplicate key", details: null }, "duplicate key"],
  [{ error: { id: "x", reason: "The flow is gone." } }, "The flow is gone."],
  ["Forbidden", "Forbidden"],
  ["<html>proxy error</html>", "An error occurred"],
  [undefined, "An error occurred"],
  [{}, "An error occurred"],
])("the body %j says %j", (body, message) => {
  expect(serverMessage(body)).toBe(message);
});

test("a refusal rejects with status, message and the single problems", async () => {
  fakeApi({
    "POST /api/x": () => ({
      status: 400,
      body: {
        error: "2 problems",
        issues: [{ path: "spec", message: "wrong", line: 3, column: 1 }, { no: 1 }],
      },
    }),
  });
  const error = await failure(request("/api/x", { method: "POST", body: {} }));
  expect([error.status, error.message, error.request]).toEqual([400, "2 problems", "POST /api/x"]);
  expect(serverIssues(error)).toEqual([{ path: "spec", message: "wrong", line: 3, column: 1 }]);
});

test("an answer that is not what it says it is is a failure, not nothing", async () => {
  vi.stubGlobal(
    "fetch",
    async () => new Response("<html>", { headers: { "content-type": "application/json" } }),
  );
  expect((await failure(request("/api/x"))).message).toBe(
    "The server's answer to GET /api/x is not valid JSON.",
  );
});

test("no network, no connection, no answer in time: each has its words", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed to fetch")));
  expect((await failure(request("/api/x"))).message).toBe("Network Error. Please try again.");
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  expect((await failure(request("/api/x"))).message).toBe(
    "No internet connection. Please try again.",
  );

  vi.stubGlobal("fetch", silence);
  expect((await failure(request("/api/x", { timeoutMs: 5 }))).message).toBe(
    "Request timed out. Please try again.",
  );
});

test("giving up is not a failure of the server", async () => {
  vi.stubGlobal("fetch", silence);
  const controller = new AbortController();
  const asked = request("/api/slow", { signal: controller.signal }).catch(
    (error: unknown) => error,
  );
  controller.abort();
  expect(((await asked) as Error).name).toBe("AbortError");
});

test("who is signed out leaves for the session check, once, with the way back", async () => {
  window.history.replaceState({}, "", "/health?query=x");
  fakeApi({ "GET /api/x": () => ({ status: 401, body: { error: "Not logged in" } }) });
  expect((await failure(request("/api/x", { onSignedOut: "reject" }))).status).toBe(401);
  expect(assign).not.toHaveBeenCalled();
  await Promise.allSettled([request("/api/x"), request("/api/x")]);
  expect(assign.mock.calls).toEqual([["/auth-state-checker?return_to=%2Fhealth%3Fquery%3Dx"]]);
});

test("a page of rows knows how many there are", async () => {
  const asked: (string | null)[] = [];
  fakeApi({
    "GET /api/db/checks": ({ headers }) => {
      asked.push(headers.get("prefer"));
      return { status: 206, body: [{ id: 1 }], headers: { "content-range": "0-0/123" } };
    },
  });
  expect(await db.page("checks", { limit: 1 })).toEqual({ rows: [{ id: 1 }], total: 123 });
  expect(asked).toEqual(["count=exact"]);
});

test("rows that are not rows are a failure", async () => {
  fakeApi({ "GET /api/db/checks": () => ({ body: { rows: [] } }) });
  expect((await failure(db.page("checks", {}))).message).toBe(
    "The server sent no rows for checks.",
  );
});
