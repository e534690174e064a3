import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

export interface Membership {
  id: string;
  name: string;
  role: "org:admin" | "org:member";
  backend_url?: string;
}

export interface Account {
  name: string;
  email: string;
  organizations: Membership[];
}

/** A real OpenID provider that knows organizations, with a page to sign in and one to sign out. */
export interface OrganizationProvider {
  issuer: string;
  /** By subject. */
  accounts: Map<string, Account>;
  /** Grants that were made, in order: `authorization_code`, `refresh_token`. */
  granted: string[];
  /** Stops answering, as if it were away, or answers again. */
  setAway(isAway: boolean): void;
  /** Changes the address that browsers are sent back to. */
  tamper?: ((address: URL) => void) | undefined;
  stop(): Promise<void>;
}

export async function startOrganizationProvider(
  clientId: string,
  consoles: readonly string[],
): Promise<OrganizationProvider> {
  let isAway = false;
  const server = createServer((request, reply) => {
    if (isAway) return void request.socket.destroy();
    if (started.tamper) tamperWith(reply, started.tamper);
    if (request.url?.startsWith("/interaction/")) return void interact(request, reply);
    return void provider.callback()(request, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Another site than the console, as it is in the world.
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  /** For which organization a grant was given. */
  const organizationOf = new Map<string, string>();

  const claimsOf = (subject: string, grantId: string | undefined) => {
    const account = started.accounts.get(subject)!;
    const chosen = organizationOf.get(grantId ?? "");
    const organization = account.organizations.find(({ id }) => id === chosen);
    return {
      name: account.name,
      email: account.email,
      email_verified: true,
      ...(organization
        ? { org_id: organization.id, org_name: organization.name, org_role: organization.role }
        : {}),
    };
  };
  const grantOf = (token: unknown) => (token as { grantId?: string } | undefined)?.grantId;

  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        token_endpoint_auth_method: "none",
        response_types: ["code"],
        grant_types: ["authorization_code", "refresh_token"],
        redirect_uris: consoles.map((address) => `${address}/signed-in`),
        post_logout_redirect_uris: consoles.map((address) => `${address}/signed-out`),
      },
    ],
    cookies: { keys: ["only-for-tests"] },
    extraParams: ["organization"],
    clientBasedCORS: (_ctx, origin) => consoles.includes(origin),
    claims: {
      openid: ["sub", "org_id", "org_name", "org_role", "organizations"],
      email: ["email", "email_verified"],
      profile: ["name"],
    },
    conformIdTokenClaims: false,
    issueRefreshToken: () => true,
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => `urn:test:${clientId}`,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: "",
          audience: clientId,
          accessTokenFormat: "jwt",
          accessTokenTTL: 600,
          jwt: { sign: { alg: "RS256" } },
        }),
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => {
          ctx.type = "html";
          ctx.body = `<!doctype html><title>Sign out</title>${form}<button form="op.logoutForm" name="logout" value="yes">Sign out everywhere</button>`;
        },
      },
    },
    extraTokenClaims: (_ctx, token) =>
      "accountId" in token ? claimsOf(token.accountId, grantOf(token)) : undefined,
    findAccount: (_ctx, sub, token) => {
      const account = started.accounts.get(sub);
      return (
        account && {
          accountId: sub,
          claims: () => ({
            sub,
            ...claimsOf(sub, grantOf(token)),
            organizations: account.organizations.map(({ role: _role, ...told }) => told),
          }),
        }
      );
    },
    loadExistingGrant: async (ctx) => {
      const { client, session, params, provider: own } = ctx.oidc;
      const grant = new own.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
      grant.addOIDCScope("openid profile email offline_access");
      grant.addResourceScope(`urn:test:${clientId}`, "");
      const grantId = await grant.save();
      if (typeof params?.organization === "string")
        organizationOf.set(grantId, params.organization);
      return grant;
    },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    renderError: (ctx, out) => {
      ctx.type = "json";
      ctx.body = out;
    },
  });
  provider.on("grant.success", (ctx) => started.granted.push(String(ctx.oidc.params?.grant_type)));

  /** A page with everybody on it; choosing oneself is signing in. */
  async function interact(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const url = new URL(request.url!, issuer);
    const accountId = url.searchParams.get("as");
    if (accountId === null) {
      const links = [...started.accounts].map(
        ([subject, { name }]) => `<p><a href="?as=${subject}">Sign in as ${name}</a></p>`,
      );
      reply.setHeader("content-type", "text/html");
      reply.end(
        `<!doctype html><title>Sign in</title>${links.join("")}<p><a href="?as=">Refuse</a></p>`,
      );
      return;
    }
    const result =
      accountId === ""
        ? { error: "access_denied", error_description: "You said no." }
        : { login: { accountId } };
    await provider.interactionFinished(request, reply, result, { mergeWithLastSubmission: false });
  }

  function tamperWith(reply: ServerResponse, tamper: (address: URL) => void): void {
    const set = reply.setHeader.bind(reply);
    reply.setHeader = (name, value) => {
      if (name.toLowerCase() !== "location" || !String(value).includes("/signed-in?"))
        return set(name, value);
      const address = new URL(String(value));
      tamper(address);
      return set(name, address.href);
    };
  }

  const started: OrganizationProvider = {
    issuer,
    accounts: new Map(),
    granted: [],
    setAway(away) {
      isAway = away;
      if (away) server.closeAllConnections();
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return started;
}
