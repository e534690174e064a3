// Takes long: two servers and a provider, and tokens that run out.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, vi } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import { freePort, type Gateway, startGateway } from "./gateway.ts";
import { journey, journeys } from "./journey.ts";
import { type OrganizationProvider, startOrganizationProvider } from "./organization-provider.ts";
import { readAccess, type RunningServer, startServer } from "./server.ts";

const clientId = "console";

journeys("signing in with a provider that knows organizations", () => {
  let provider: OrganizationProvider;
  let gateway: Gateway;
  // Their own: people sign in elsewhere.
  let acme: RunningServer;
  let beta: RunningServer;

  beforeAll(async () => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    gateway = await startGateway();
    provider = await startOrganizationProvider(clientId, [address]);
    const hosted = { HOSTED_ISSUER: provider.issuer, HOSTED_CLIENT_ID: clientId };
    [acme, beta] = await Promise.all([
      startServer({
        env: {
          ...hosted,
          PORT: String(port),
          HOSTED_ORGANIZATION: "org_acme",
          HOSTED_BACKENDS: gateway.address,
          HOSTED_NEW_ORGANIZATION: `${provider.issuer}/organizations/new`,
        },
      }),
      startServer({
        env: { ...hosted, HOSTED_ORGANIZATION: "org_beta", HOSTED_ORIGINS: address },
      }),
    ]);
    const [acmeOrg, betaOrg] = [
      { id: "org_acme", name: "Acme", role: "org:admin" as const },
      {
        id: "org_beta",
        name: "Beta",
        role: "org:admin" as const,
        backend_url: `${gateway.address}/api`,
      },
    ];
    const wrong = { id: "org_gamma", name: "Gamma", role: "org:admin" as const };
    const people: [string, string, (typeof acmeOrg | typeof betaOrg)[]][] = [
      ["ada", "Ada Lovelace", [acmeOrg, betaOrg]],
      ["bea", "Bea Weber", [acmeOrg]],
      ["cleo", "Cleo Nobody", []],
      ["gus", "Gus Gamma", [acmeOrg, { ...wrong, backend_url: `${acme.address}/api` }]],
    ];
    for (const [subject, name, organizations] of people)
      provider.accounts.set(subject, {
        name,
        email: `${subject}@example.org`,
        organizations,
      });
  });
  afterAll(async () => {
    await acme?.stop();
    await beta?.stop();
    await gateway?.close();
    await provider?.stop();
  });
  beforeEach(() => {
    gateway.leadTo(beta.address);
    gateway.asked.length = 0;
    provider.granted.length = 0;
    provider.setAway(false);
    provider.tamper = undefined;
  });
  async function signInAs(page: Page, name: string, address = "/health"): Promise<void> {
    await page.goto(address);
    await page.getByRole("link", { name: `Sign in as ${name}` }).click();
  }
  const inside = (page: Page) => page.getByRole("navigation", { name: "Main" }).waitFor();
  const switchTo = async (page: Page, name: string) => {
    await page.getByRole("button", { name: /^Organization:/ }).click();
    await page.getByRole("menuitemradio", { name }).click();
  };

  journey(
    "leads to the provider and back to the very page, with the token and without cookies",
    async ({ openAt }) => {
      const page = await openAt(acme.address);
      const asked: { url: string; headers: Record<string, string> }[] = [];
      page.on("request", (request) => {
        if (/\/api\//.test(request.url()))
          asked.push({ url: request.url(), headers: request.headers() });
      });
      await signInAs(page, "Ada Lovelace", "/settings/users?search=lovelace#here");
      await inside(page);
      await page.getByText("ada@example.org").first().waitFor();
      const { pathname, searchParams } = new URL(page.url());
      expect([pathname, searchParams.get("search")]).toEqual(["/settings/users", "lovelace"]);
      expect(page.url()).not.toMatch(/code=|state=/);
      await page.getByRole("button", { name: "Organization: Acme" }).waitFor();
      await page.getByRole("button", { name: "User menu" }).click();
      await page.getByText("Hi, Ada Lovelace").waitFor();
      await expect.poll(() => page.getByRole("menuitem", { name: "Your Profile" }).count()).toBe(0);

      const withToken = asked.filter(({ url }) => !url.endsWith("/api/auth/mode"));
      expect(withToken.length).toBeGreaterThan(4);
      for (const { url, headers } of withToken) {
        expect([url, headers.authorization]).toEqual([url, expect.stringMatching(/^Bearer ey/)]);
        expect(headers.cookie).toBeUndefined();
        expect(url).not.toContain("ey");
      }
      expect(withToken.some(({ url }) => url.includes("/api/events"))).toBe(true);
      expect(withToken.some(({ url }) => url.includes("/api/.ory"))).toBe(false);
      // Nothing that lets anybody in stays behind.
      const kept = await page.evaluate(() =>
        JSON.stringify([
          Object.entries(localStorage),
          Object.entries(sessionStorage),
          document.cookie,
        ]),
      );
      expect(kept).not.toMatch(/eyJ|verifier|refresh/);
    },
  );

  journey("a page that is loaded anew is there again without being asked", async ({ openAt }) => {
    const page = await openAt(acme.address);
    await signInAs(page, "Ada Lovelace");
    await inside(page);
    await page.reload();
    await inside(page);
    expect(new URL(page.url()).pathname).toBe("/health");
    await page.goto("/auth-state-checker?return_to=%2Fsettings%2Fteams");
    await inside(page);
    expect(new URL(page.url()).pathname).toBe("/settings/teams");
    await page.goto("/login?return_to=%2F%2Fevil.example.org");
    await inside(page);
    expect(new URL(page.url()).origin).toBe(acme.address);
  });

  journey(
    "another organization is another server, whose changes are seen at once",
    async ({ openAt }) => {
      const page = await openAt(acme.address);
      await signInAs(page, "Ada Lovelace", "/settings/teams");
      await inside(page);
      expect(gateway.asked).toEqual([]);
      await switchTo(page, "Beta");
      await page.getByRole("button", { name: "Organization: Beta" }).waitFor();
      await inside(page);
      await page.goto("/settings/teams");
      await inside(page);
      await vi.waitFor(() =>
        expect(gateway.asked.map(({ path }) => path)).toEqual(
          expect.arrayContaining([expect.stringMatching(/^\/api\/events/)]),
        ),
      );
      expect(gateway.asked.every(({ cookie }) => cookie === undefined)).toBe(true);

      const { token } = await readAccess(beta.dataDir);
      const added = await fetch(`${beta.address}/api/db/teams`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "Night watch", icon: "group", spec: {} }),
      });
      expect(added.status).toBe(201);
      await page.getByText("Night watch").waitFor();
      await switchTo(page, "Acme");
      await page.getByRole("button", { name: "Organization: Acme" }).waitFor();
      await page.goto("/settings/teams");
      await inside(page);
      await expect.poll(() => page.getByText("Night watch").count()).toBe(0);
    },
  );

  journey("a server that is being set up is waited for", async ({ openAt, provoked }) => {
    provoked.push(/ERR_FAILED|blocked by CORS|502/);
    gateway.leadTo(undefined);
    const page = await openAt(acme.address);
    await signInAs(page, "Ada Lovelace");
    await inside(page);
    await switchTo(page, "Beta");
    await page.getByText("Please wait, instance provisioning in-progress ...").waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    gateway.leadTo(beta.address);
    await page.getByRole("button", { name: "Organization: Beta" }).waitFor();
  });

  journey("a token is renewed before it ends, while the page is open", async ({ openAt }) => {
    const page = await openAt(acme.address);
    await page.clock.install();
    await signInAs(page, "Bea Weber", "/settings/teams");
    await inside(page);
    expect(provider.granted).toEqual(["authorization_code"]);
    await page.clock.fastForward("11:00");
    await vi.waitFor(() => expect(provider.granted).toContain("refresh_token"), 15_000);
    expect(new URL(page.url()).pathname).toBe("/settings/teams");
    await inside(page);
  });

  journey(
    "signing out ends it at the provider too, and the next sign-in leads back",
    async ({ openAt }) => {
      const page = await openAt(acme.address);
      await signInAs(page, "Ada Lovelace", "/settings/teams");
      await inside(page);
      await page.getByRole("button", { name: "User menu" }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await page.getByRole("button", { name: "Sign out everywhere" }).click();
      await page.getByRole("heading", { name: "You are signed out" }).waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("link", { name: "Sign in as Bea Weber" }).click();
      await inside(page);
      expect(new URL(page.url()).pathname).toBe("/settings/teams");
    },
  );

  journey(
    "a server of another organization says so, and another one can be chosen",
    async ({ openAt }) => {
      const page = await openAt(acme.address);
      await signInAs(page, "Gus Gamma");
      await inside(page);
      await switchTo(page, "Gamma");
      await page.getByRole("heading", { name: "You cannot use this server" }).waitFor();
      await page.getByText(/This server belongs to another organization/).waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.getByRole("button", { name: "Choose another organization" }).click();
      await page.getByRole("button", { name: "Acme" }).click();
      await page.getByRole("button", { name: "Organization: Acme" }).waitFor();
    },
  );

  journey("who has no organization is told what to do", async ({ openAt }) => {
    const page = await openAt(acme.address);
    await signInAs(page, "Cleo Nobody");
    await page.getByRole("heading", { name: "You have no organization" }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Create organization" }).click();
    await page.waitForURL(/\/organizations\/new\?redirect_url=/);
    expect(new URL(page.url()).searchParams.get("redirect_url")).toBe(
      `${acme.address}/organizations/orgs-switched`,
    );
  });

  journey.for([
    ["of nobody", "/signed-in?code=stolen&state=made-up"],
    ["without a state", "/signed-in?code=stolen"],
    ["of a refusal", "/signed-in?error=access_denied&state=made-up"],
  ] as const)("an answer %s signs nobody in", async ([_what, address], { openAt }) => {
    const page = await openAt(acme.address);
    await page.goto(address);
    await page.getByText(/belongs to no sign-in that was begun in this window/).waitFor();
    expect(provider.granted).toEqual([]);
    expect(new URL(page.url()).search).toBe("");
  });

  journey.for([
    ["state", /belongs to no sign-in/],
    ["code", /grant request is invalid|cannot be used/],
    ["iss", /cannot be used/],
  ] as const)("an answer with another %s signs nobody in", async ([name, said], { openAt }) => {
    const page = await openAt(acme.address);
    provider.tamper = (address) =>
      address.searchParams.set(name, name === "iss" ? "https://evil.example.org" : "tampered");
    await signInAs(page, "Ada Lovelace");
    await page.getByText(said).waitFor();
    await expect.poll(() => page.getByRole("navigation", { name: "Main" }).count()).toBe(0);
    expect(provider.granted).toEqual([]);
  });

  journey(
    "a refusal is said in the provider's words, and can be tried again",
    async ({ openAt }) => {
      const page = await openAt(acme.address);
      await page.goto("/health");
      await page.getByRole("link", { name: "Refuse" }).click();
      await page.getByText("You said no.").waitFor();
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("link", { name: "Sign in as Bea Weber" }).click();
      await inside(page);
    },
  );

  journey("a provider that is away is said to be", async ({ openAt, provoked }) => {
    provoked.push(/ERR_/);
    provider.setAway(true);
    const page = await openAt(acme.address);
    await page.goto("/health");
    await page.getByText(/sign-in provider cannot be reached at the moment/).waitFor();
    provider.setAway(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("link", { name: "Sign in as Bea Weber" }).click();
    await inside(page);
  });

  journey("a bad session says so and offers the ways out", async ({ openAt }) => {
    const page = await openAt(acme.address);
    await page.goto("/session-error?error_code=BAD_SESSION");
    await page.getByText(/^Bad Session\. Please try logging out/).waitFor();
    await page.getByRole("button", { name: "Choose an organization" }).click();
    await page.getByRole("link", { name: "Sign in as Ada Lovelace" }).click();
    await page.getByRole("heading", { name: "Choose an organization" }).waitFor();
    await page.getByRole("button", { name: "Acme" }).click();
    await inside(page);
    await page.goto("/profile-settings");
    await page.getByText("Your profile is kept by your sign-in provider").waitFor();
  });
});
