import { vi } from "vitest";

/** What a fake answer is: a body sent as JSON, or everything about it. */
export type FakeAnswer = { status?: number; body?: unknown; headers?: Record<string, string> };
export type FakeRoute = (request: {
  url: URL;
  body: unknown;
  headers: Headers;
}) => FakeAnswer | Promise<FakeAnswer>;

/**
 * Answers requests by method and path (`GET /api/x`). What is not listed fails as a network does, so that a test sees
 * every call that it did not expect.
 */
export function fakeApi(routes: Record<string, FakeRoute>) {
  const calls: string[] = [];
  const fetch = vi.fn(async (input: string | URL | Request, init: RequestInit = {}) => {
    const url = new URL(String(input instanceof Request ? input.url : input), "http://localhost");
    const name = `${init.method ?? "GET"} ${url.pathname}`;
    calls.push(`${name}${url.search}`);
    const route = routes[name];
    if (!route) throw new TypeError(`no fake for ${name}`);
    const headers = new Headers(init.headers);
    const sent = typeof init.body === "string" ? init.body : undefined;
    const isJson = headers.get("content-type") !== "application/yaml";
    const body: unknown = sent !== undefined && isJson ? JSON.parse(sent) : sent;
    const answer = await route({ url, body, headers });
    const status = answer.status ?? 200;
    return new Response(
      status === 304 || answer.body === undefined ? null : JSON.stringify(answer.body),
      {
        status,
        headers: { "content-type": "application/json", ...answer.headers },
      },
    );
  });
  vi.stubGlobal("fetch", fetch);
  return { calls, routes };
}
