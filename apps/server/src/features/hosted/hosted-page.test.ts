import { expect, test } from "vitest";
import { startTestApp } from "../../testing/app.ts";

const set = {
  hostedIssuer: "https://id.example.org/realm",
  hostedClientId: "console",
  hostedOrganization: "org_acme",
};
const connects = (policy: string | null) => /connect-src ([^;]*)/.exec(policy ?? "")?.[1];

test.each([
  ["no provider", {}, undefined],
  ["a provider", set, "'self' https://id.example.org"],
  [
    "a provider and another organization's server",
    { ...set, hostedBackends: ["https://beta.example.org"] },
    "'self' https://id.example.org https://beta.example.org",
  ],
  ["servers without a provider", { hostedBackends: ["https://beta.example.org"] }, undefined],
])("with %s, pages may ask this server and %s: %s", async (_what, changes, asked) => {
  const server = await startTestApp(changes);
  try {
    for (const path of ["/", "/health", "/api/auth/mode", "/api/nothing"]) {
      const policy = (await server.nobody.get(path)).headers.get("content-security-policy");
      expect(policy).toContain("default-src 'self';");
      expect(connects(policy)).toBe(asked);
    }
  } finally {
    await server.stop();
  }
});

test("where organizations are created is told to the console", async () => {
  const page = "https://id.example.org/organizations/new";
  const server = await startTestApp({ ...set, hostedNewOrganization: page });
  try {
    expect((await server.nobody.get("/api/auth/mode")).json).toEqual({
      mode: "hosted",
      issuer: set.hostedIssuer,
      client_id: set.hostedClientId,
      organization: set.hostedOrganization,
      new_organization: page,
    });
  } finally {
    await server.stop();
  }
});
