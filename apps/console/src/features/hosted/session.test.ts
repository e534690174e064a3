// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { request } from "#lib/api.ts";
import { enterHosted } from "#lib/hosted.ts";
import { fakeApi } from "../../testing/fake-api.ts";
import { type Provider, ProviderRefusal, type Tokens } from "./provider.ts";
import { checkBackend, createSession } from "./session.ts";

let refreshed: number;
let refresh: (tokens: Tokens) => Promise<Tokens>;

const unused = () => {
  throw new Error("not asked for here");
};
const provider: Provider = {
  signInAddress: unused,
  finish: unused,
  readClaims: unused,
  signOutAddress: unused,
  revoke: unused,
  refresh: (tokens) => {
    refreshed += 1;
    return refresh(tokens);
  },
};

const open = (tokens: Partial<Tokens> = {}, backendUrl?: string) =>
  createSession({
    provider,
    tokens: { bearer: "first", refreshToken: "r1", ...tokens },
    backendUrl,
  });

beforeEach(() => {
  refreshed = 0;
  refresh = () => Promise.resolve({ bearer: "second", refreshToken: "r2" });
});
afterEach(() => {
  enterHosted(undefined);
  vi.unstubAllGlobals();
});

const soon = () => Date.now() + 60_000;
const past = () => Date.now() - 1;

describe("the token", () => {
  test("is used until it is time for another", async () => {
    expect(await open({ renewAt: soon() }).token()).toBe("first");
    expect(refreshed).toBe(0);
    expect(await open({ renewAt: past() }).token()).toBe("second");
    expect(refreshed).toBe(1);
  });

  test("is renewed once for all who ask at the same time", async () => {
    const session = open({ renewAt: past() });
    expect(await Promise.all([session.token(), session.token(), session.token()])).toEqual([
      "second",
      "second",
      "second",
    ]);
    expect(refreshed).toBe(1);
    expect(session.tokens()).toEqual({ bearer: "second", refreshToken: "r2" });
  });

  test("stays as it is when it cannot be renewed, and a refusal is not asked for twice", async () => {
    refresh = () => Promise.reject(new TypeError("no network"));
    const session = open({ renewAt: past() });
    expect([await session.token(), await session.token()]).toEqual(["first", "first"]);
    expect(refreshed).toBe(2);
    refresh = () => Promise.reject(new ProviderRefusal("invalid_grant", undefined));
    expect([await session.token(), await session.token()]).toEqual(["first", "first"]);
    expect(refreshed).toBe(3);
  });

  test("that the server refused is exchanged, unless that was done meanwhile", async () => {
    const session = open();
    expect(await session.renew("first")).toBe("second");
    expect(await session.renew("first")).toBe("second");
    expect(refreshed).toBe(1);
    const { refreshToken: _none, ...lasting } = session.tokens();
    const last = createSession({ provider, tokens: lasting, backendUrl: undefined });
    expect(await last.renew("second")).toBeUndefined();
  });
});

describe("requests", () => {
  const enterWith = (session: ReturnType<typeof open>) =>
    enterHosted({ ...session, signOut: unused, OrganizationSwitcher: () => null });

  test("go to the organization's server with the token", async () => {
    const seen: [string, string | null][] = [];
    fakeApi({
      "GET /base/db/people": ({ url, headers }) => {
        seen.push([url.href, headers.get("authorization")]);
        return { body: [] };
      },
    });
    enterWith(open({}, "https://beta.example.org/base/"));
    await request("/api/db/people?limit=1");
    expect(seen).toEqual([["https://beta.example.org/base/db/people?limit=1", "Bearer first"]]);
  });

  test("that are refused are sent once more with a new token, and then it is an answer", async () => {
    const seen: (string | null)[] = [];
    fakeApi({
      "POST /api/db/teams": ({ headers }) => {
        seen.push(headers.get("authorization"));
        return seen.length === 1
          ? { status: 401, body: { error: "Session Expired" } }
          : { status: 201, body: [] };
      },
      "GET /api/never": ({ headers }) => {
        seen.push(headers.get("authorization"));
        return { status: 401, body: { error: "Unauthorized" } };
      },
    });
    enterWith(open());
    expect((await request("/api/db/teams", { method: "POST", body: {} })).status).toBe(201);
    expect(seen).toEqual(["Bearer first", "Bearer second"]);
    refresh = () => Promise.resolve({ bearer: "third" });
    await expect(request("/api/never", { onSignedOut: "reject" })).rejects.toThrow("Unauthorized");
    expect(seen.slice(2)).toEqual(["Bearer second", "Bearer third"]);
  });

  test("without a hosted provider carry no token", async () => {
    let authorization: string | null = "";
    fakeApi({
      "GET /api/x": ({ headers }) => {
        authorization = headers.get("authorization");
        return { body: {} };
      },
    });
    await request("/api/x");
    expect(authorization).toBeNull();
  });
});

describe("the stream of changes", () => {
  test("is asked for with the token, and heard", async () => {
    const asked: [string, string | null, string | undefined][] = [];
    const text = 'event: change\nid: 7\ndata: {"table":"teams"}\n\n';
    vi.stubGlobal("fetch", (url: URL, init: RequestInit) => {
      asked.push([url.href, new Headers(init.headers).get("authorization"), init.credentials]);
      return Promise.resolve(
        new Response(text, { headers: { "content-type": "text/event-stream" } }),
      );
    });
    const stream = open({}, "https://beta.example.org/api").openEvents("/api/events?since=6");
    const event = await new Promise<MessageEvent<string>>((resolve) => {
      stream.addEventListener("change", resolve);
    });
    stream.close();
    expect([event.lastEventId, event.data]).toEqual(["7", '{"table":"teams"}']);
    expect(asked[0]).toEqual([
      "https://beta.example.org/api/events?since=6",
      "Bearer first",
      "omit",
    ]);
    expect(stream.readyState).toBe(2);
  });
});

test.each([
  ["https://beta.example.org/api", true],
  ["http://127.0.0.1:8080/api", true],
  ["http://localhost:8080", true],
  ["http://beta.example.org", false],
  ["https://user:secret@beta.example.org", false],
  ["https://beta.example.org/?a=b", false],
  ["javascript:alert(1)", false],
  ["//beta.example.org", false],
  ["beta.example.org", false],
])("a server at %s is asked: %s", (backendUrl, isAsked) => {
  const check = () => checkBackend({ id: "b", name: "Beta", backendUrl });
  if (isAsked) expect(check()).toBe(new URL(backendUrl).href);
  else expect(check).toThrow("not one that can be asked");
});
