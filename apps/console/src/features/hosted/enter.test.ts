// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { HostedMode } from "#lib/auth-mode.ts";
import { enterHosted, hosted } from "#lib/hosted.ts";
import { fakeApi, type FakeRoute } from "../../testing/fake-api.ts";
import { type Attempt, keepAttempt } from "./attempt.ts";
import { enter, type Step } from "./enter.ts";

const issuer = "https://id.example.org";
const mode: HostedMode = { mode: "hosted", issuer, client_id: "console", organization: "acme" };

const left = vi.fn<(address: string | URL) => void>();
let claims: Record<string, unknown>;
let metadata: Record<string, unknown>;
let whoami: FakeRoute;
let calls: string[];

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const seconds = () => Math.floor(Date.now() / 1000);

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
  left.mockReset();
  vi.spyOn(window.location, "replace").mockImplementation(left);
  vi.spyOn(window.location, "assign").mockImplementation(left);
  claims = { org_id: "acme", org_name: "Acme", organizations: ["acme", "beta"] };
  metadata = {};
  whoami = () => ({ body: { payload: { user: { id: "p1" } } } });
  calls = fakeApi({
    "GET /.well-known/openid-configuration": () => ({
      body: {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        end_session_endpoint: `${issuer}/end`,
        ...metadata,
      },
    }),
    "POST /token": () => ({
      body: {
        access_token: "ey.access.token",
        token_type: "bearer",
        expires_in: 600,
        id_token: [
          encoded({ alg: "RS256" }),
          encoded({
            iss: issuer,
            aud: "console",
            sub: "ada",
            nonce: "n",
            iat: seconds(),
            exp: seconds() + 600,
            ...claims,
          }),
          "c2lnbmF0dXJl",
        ].join("."),
      },
    }),
    "GET /api/auth/whoami": (request) => whoami(request),
  }).calls;
});
afterEach(() => {
  enterHosted(undefined);
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function at(address: string): Promise<Step> {
  window.history.replaceState({}, "", address);
  return enter(mode);
}

function back(attempt: Partial<Attempt> = {}, address = "/signed-in?code=c&state=s") {
  keepAttempt({ state: "s", nonce: "n", verifier: "v", returnTo: "/health?tab=web", ...attempt });
  return at(address);
}

const askedFor = () => Object.fromEntries(new URL(String(left.mock.lastCall?.[0])).searchParams);
const keptAttempt = () => JSON.parse(sessionStorage.getItem("mainstay.sign-in")!) as Attempt;

describe("on the way to the provider", () => {
  test("the sign-in is bound to this window", async () => {
    expect((await at("/health?tab=web#x")).kind).toBe("leaving");
    const attempt = keptAttempt();
    expect(askedFor()).toMatchObject({
      client_id: "console",
      response_type: "code",
      redirect_uri: `${window.location.origin}/signed-in`,
      scope: "openid profile email",
      code_challenge_method: "S256",
      state: attempt.state,
      nonce: attempt.nonce,
      organization: "acme",
    });
    expect(attempt.returnTo).toBe("/health?tab=web#x");
    expect(attempt.verifier).not.toBe(askedFor().code_challenge);
  });

  test.each([
    ["/login?return_to=%2Fsettings%2Fteams", "/settings/teams"],
    ["/auth-state-checker?return_to=%2Fhealth%3Fa%3Db", "/health?a=b"],
    ["/login", "/"],
    ["/login?return_to=//evil.example.org", "/"],
    ["/login?return_to=https://evil.example.org", "/"],
    ["/login?return_to=/%5Cevil.example.org", "/"],
    ["/login?return_to=/signed-out", "/"],
    ["/login?return_to=%2Forganizations%2Forgs-switched", "/"],
    ["/error?id=7", "/"],
  ])("%s leads back to %s", async (address, returnTo) => {
    await at(address);
    expect(keptAttempt().returnTo).toBe(returnTo);
  });

  test("a switch asks for the organization that was chosen", async () => {
    sessionStorage.setItem("mainstay.organization", "beta");
    await at("/organizations/orgs-switched");
    expect(askedFor().organization).toBe("beta");
    sessionStorage.clear();
    await at("/organizations/orgs-switched");
    expect([askedFor().organization, keptAttempt().chooses]).toEqual([undefined, true]);
  });

  test("tokens that last are asked for where there are such", async () => {
    metadata = { scopes_supported: ["openid", "offline_access"] };
    await at("/health");
    expect(askedFor().scope).toBe("openid profile email offline_access");
  });

  test.each(["token_endpoint", "userinfo_endpoint", "revocation_endpoint"])(
    "a provider whose %s is elsewhere is not used",
    async (name) => {
      metadata = { [name]: "https://evil.example.org/token" };
      expect(await at("/health")).toMatchObject({
        kind: "failed",
        message: expect.stringContaining(`${name} is at https://evil.example.org`),
      });
      expect(left).not.toHaveBeenCalled();
    },
  );
});

describe("back from the provider", () => {
  test("the console opens where it was wanted, and the code is used once", async () => {
    expect((await back()).kind).toBe("open");
    expect(`${window.location.pathname}${window.location.search}`).toBe("/health?tab=web");
    expect(await hosted()?.token()).toBe("ey.access.token");
    expect((await at("/signed-in?code=c&state=s")).kind).toBe("failed");
    expect(calls.filter((call) => call === "POST /token")).toHaveLength(1);
  });

  test.each<[string, Partial<Attempt>, string]>([
    ["another state", {}, "/signed-in?code=c&state=other"],
    ["no state", {}, "/signed-in?code=c"],
    ["another issuer", {}, "/signed-in?code=c&state=s&iss=https%3A%2F%2Fevil.example.org"],
    ["the provider's refusal", {}, "/signed-in?error=access_denied&state=s"],
    ["another nonce", { nonce: "other" }, "/signed-in?code=c&state=s"],
  ])("%s opens nothing", async (_what, attempt, address) => {
    expect((await back(attempt, address)).kind).toBe("failed");
    expect(hosted()).toBeUndefined();
    expect(window.location.search).toBe("?tab=web");
    expect(calls).not.toContain("GET /api/auth/whoami");
  });

  test("a kept way back is looked at again", async () => {
    await back({ returnTo: "//evil.example.org/x" });
    expect(window.location.pathname).toBe("/");
  });

  test.each([
    [200, "open", undefined],
    [401, "failed", "The server did not accept your sign-in"],
    [403, "failed", "You cannot use this server"],
    [400, "failed", "The console could not start"],
    [404, "provisioning", undefined],
    [500, "provisioning", undefined],
    [503, "provisioning", undefined],
  ])("a server that answers %i: %s", async (status, kind, title) => {
    whoami = () => ({ status, body: { error: "so it is" } });
    const step = await back();
    expect(step.kind).toBe(kind);
    if (title) expect(step).toMatchObject({ title, message: "so it is" });
    // It never goes round in circles by itself.
    expect(left).not.toHaveBeenCalled();
  });

  test("a server that is being set up is asked again, and opens", async () => {
    whoami = () => ({ status: 502 });
    const step = await back();
    if (step.kind !== "provisioning") throw new Error(step.kind);
    whoami = () => ({ body: {} });
    expect((await step.again()).kind).toBe("open");
  });

  test("an organization without a server yet is being set up", async () => {
    claims = { org_id: "beta", organizations: ["acme", "beta"] };
    expect((await back({ organization: "beta" })).kind).toBe("provisioning");
    expect(calls).not.toContain("GET /api/auth/whoami");
  });

  test("an organization's server that cannot be asked safely is not asked", async () => {
    claims = {
      org_id: "beta",
      organizations: [{ id: "beta", name: "Beta", backend_url: "http://beta.example.org" }],
    };
    expect(await back({ organization: "beta" })).toMatchObject({
      kind: "failed",
      title: "This organization cannot be opened",
    });
    expect(calls).not.toContain("GET /api/auth/whoami");
  });

  test.each<[string, Record<string, unknown>, Partial<Attempt>, string]>([
    ["several and none chosen", { organizations: ["a", "b"] }, {}, "choose"],
    ["none at all", { organizations: [] }, {}, "choose"],
    ["no list", {}, {}, "choose"],
    ["only one", { organizations: ["a"] }, { organization: "acme" }, "leaving"],
    ["only one, which was refused", { organizations: ["a"] }, { organization: "a" }, "choose"],
    [
      "several, and one wants to choose",
      { org_id: "a", organizations: ["a", "b"] },
      { chooses: true },
      "choose",
    ],
  ])("of organizations there are %s", async (_what, told, attempt, kind) => {
    claims = told;
    expect((await back(attempt)).kind).toBe(kind);
    if (kind === "leaving") expect(askedFor().organization).toBe("a");
  });

  test("signing out leaves for the provider and knows the way back", async () => {
    await back();
    await hosted()!.signOut();
    expect(String(left.mock.lastCall?.[0])).toMatch(/^https:\/\/id\.example\.org\/end\?/);
    expect(askedFor()).toMatchObject({
      client_id: "console",
      post_logout_redirect_uri: `${window.location.origin}/signed-out`,
      state: "/health?tab=web",
      id_token_hint: expect.stringContaining("."),
    });
    expect(hosted()).toBeUndefined();
  });
});
