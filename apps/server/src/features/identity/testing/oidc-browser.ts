import sql from "sql-template-tag";
import { expect } from "vitest";
import type { Config } from "#platform/config.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../../../testing/openid-provider.ts";
import {
  CookieJar,
  csrfTokenOf,
  type IdentityServer,
  startIdentityServer,
} from "./identity-server.ts";

/** Where the provider believes the console to be; nothing has to answer there. */
export const PUBLIC = "http://console.example.org";
export const CALLBACK = `${PUBLIC}/api/.ory/self-service/methods/oidc/callback`;
export const SECRET = "not-a-secret-of-anybody";

/** The provider that the servers of this test file know, under two names. */
export let provider: OpenIdProvider;

export async function startProvider(): Promise<void> {
  provider = await startOpenIdProvider([
    {
      client_id: "mainstay",
      client_secret: SECRET,
      redirect_uris: [`${CALLBACK}/acme`, `${CALLBACK}/other`],
      response_types: ["code"],
      grant_types: ["authorization_code"],
    },
  ]);
}

const providersOf = (more: object) => [
  {
    id: "acme",
    label: "Acme",
    issuer_url: provider.issuer,
    client_id: "mainstay",
    client_secret: SECRET,
    roles:
      "claims.groups.map(group, group == 'ops' ? 'editor' : group == 'root' ? 'admin' : 'none')",
    ...more,
  },
  {
    id: "other",
    issuer_url: provider.issuer,
    client_id: "mainstay",
    client_secret: SECRET,
  },
];

/** A server with settings of its own; `more` is about its first provider. */
export const start = (given: Partial<Config> = {}, more: object = {}): Promise<IdentityServer> =>
  startIdentityServer({
    publicUrl: PUBLIC,
    oidcProviders: JSON.stringify(providersOf(more)),
    ...given,
  });

export type Kind = "login" | "registration" | "settings";

export interface Left {
  jar: CookieJar;
  flowId: string;
  address: string;
}

/** Presses the provider's button in a browser flow. */
export async function leave(
  at: IdentityServer,
  kind: Kind,
  given: { jar?: CookieJar; query?: string; field?: string; id?: string } = {},
): Promise<Left> {
  const {
    jar = new CookieJar(),
    query = "",
    field = kind === "settings" ? "link" : "provider",
    id = "acme",
  } = given;
  const page = await fetch(`${at.url}/api/.ory/self-service/${kind}/browser${query}`, {
    headers: { accept: "application/json", cookie: jar.toString() },
  });
  const flow = (await jar.keep(page).json()) as {
    id: string;
    ui: { nodes: { attributes: object }[] };
  };
  const sent = await fetch(`${at.url}/api/.ory/self-service/${kind}?flow=${flow.id}`, {
    method: "POST",
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      cookie: jar.toString(),
    },
    body: JSON.stringify({ [field]: id, csrf_token: csrfTokenOf(flow) }),
  });
  const body = (await jar.keep(sent).json()) as {
    redirect_browser_to?: string;
    error?: { id: string };
  };
  if (sent.status !== 422) throw new Error(`not sent away: ${sent.status} ${JSON.stringify(body)}`);
  expect(body.error?.id).toBe("browser_location_change_required");
  return { jar, flowId: flow.id, address: body.redirect_browser_to! };
}

/** Comes back as a browser does. */
export async function comeBack(
  at: IdentityServer,
  jar: CookieJar,
  to: URL,
): Promise<{ status: number; location: string; text: string }> {
  const reply = jar.keep(
    await fetch(`${at.url}${to.pathname}${to.search}`, {
      redirect: "manual",
      headers: { accept: "text/html", cookie: jar.toString(), "sec-fetch-site": "cross-site" },
    }),
  );
  return {
    status: reply.status,
    location: (reply.headers.get("location") ?? "").replace(PUBLIC, ""),
    text: await reply.text(),
  };
}

export async function go(at: IdentityServer, kind: Kind, given: Parameters<typeof leave>[2] = {}) {
  const left = await leave(at, kind, given);
  const back = await comeBack(at, left.jar, await provider.visit(left.address));
  return { ...left, ...back };
}

/** What the form that a browser was led to says. */
export async function said(
  at: IdentityServer,
  { jar, location }: { jar: CookieJar; location: string },
): Promise<string> {
  const [, page, id] = /^\/([a-z-]+)\?flow=([\w-]+)$/.exec(location) ?? [];
  const kind = page === "profile-settings" ? "settings" : page;
  const reply = await fetch(`${at.url}/api/.ory/self-service/${kind}/flows?id=${id}`, {
    headers: { accept: "application/json", cookie: jar.toString() },
  });
  const { ui } = (await reply.json()) as { ui?: { messages?: { text: string }[] } };
  return (ui?.messages ?? []).map(({ text }) => text).join(" ");
}

export async function whoIs(at: IdentityServer, jar: CookieJar) {
  const reply = await fetch(`${at.url}/api/.ory/sessions/whoami`, {
    headers: { cookie: jar.toString() },
  });
  return reply.status === 200
    ? ((await reply.json()) as {
        identity: { id: string; traits: { email: string; name: object } };
        authentication_methods: { method: string; provider?: string }[];
      })
    : undefined;
}

export const rolesOf = async (at: IdentityServer, id: string) =>
  (
    await at.db.rows<{ v1: string }>(sql`select v1 from casbin_rule where v0 = ${id} order by v1`)
  ).map(({ v1 }) => v1);

export function account(claims: Record<string, unknown> = {}): string {
  const subject = crypto.randomUUID();
  provider.accounts.set(subject, {
    email: `${subject}@example.org`,
    email_verified: true,
    given_name: "Ada",
    family_name: "Lovelace",
    ...claims,
  });
  provider.subject = subject;
  return subject;
}
