import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from "jose";
import { type ClientMetadata, Provider } from "oidc-provider";

/** A real OpenID provider on a free port of this machine; who uses its pages is signed in without being asked. */
export interface OpenIdProvider {
  issuer: string;
  /** By subject; what the provider says about them. */
  accounts: Map<string, Record<string, unknown>>;
  /** Who sits before the browser; nobody refuses. */
  subject: string | undefined;
  /** Says nothing but the subject in ID tokens; what more there is has to be asked for. */
  isTerse: boolean;
  /** Addresses that were asked for, without their query. */
  asked: string[];
  /** Stops answering, as if it were away, or answers again. */
  setAway(isAway: boolean): void;
  /** From now on signs with a new key and publishes no other. */
  rotateKeys(): Promise<void>;
  /** A token with the provider's own signature, whatever it says. */
  sign(claims: JWTPayload, header?: { alg?: string; kid?: string; typ?: string }): Promise<string>;
  /** What a browser does with an address of the provider: where it is sent back to. */
  visit(address: string): Promise<URL>;
  /** Exchanges what one of its tokens is answered with. */
  tamper?: ((body: Record<string, unknown>) => Promise<Record<string, unknown>>) | undefined;
  stop(): Promise<void>;
}

const SCOPES = "openid email profile";

interface Key {
  kid: string;
  privateKey: CryptoKey;
  jwk: JWK;
}

async function makeKey(): Promise<Key> {
  const kid = crypto.randomUUID();
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  return {
    kid,
    privateKey,
    jwk: { ...(await exportJWK(privateKey)), kid, use: "sig", alg: "RS256" },
  };
}

export async function startOpenIdProvider(clients: ClientMetadata[]): Promise<OpenIdProvider> {
  let key = await makeKey();
  let provider: Provider;
  let isAway = false;
  const server = createServer((request, reply) => {
    if (isAway) return void request.socket.destroy();
    const path = (request.url ?? "/").split("?", 1)[0]!;
    started.asked.push(path);
    if (path.startsWith("/interaction/")) return void interact(request, reply);
    if (path === "/token" && started.tamper) tamperWith(reply);
    return void provider.callback()(request, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const aWhile = () => 600;
  const create = () =>
    new Provider(issuer, {
      clients,
      jwks: { keys: [key.jwk] },
      cookies: { keys: ["only-for-tests"] },
      ttl: {
        Interaction: aWhile,
        Grant: aWhile,
        Session: aWhile,
        AccessToken: aWhile,
        IdToken: aWhile,
      },
      claims: {
        openid: ["sub"],
        email: ["email", "email_verified"],
        profile: ["name", "given_name", "family_name", "groups", "picture"],
      },
      conformIdTokenClaims: false,
      features: {
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          // Public clients get access tokens that are for our server; those of the others are the provider's own.
          defaultResource: (ctx) =>
            ctx.oidc.client!.clientAuthMethod === "none"
              ? `urn:test:${ctx.oidc.client!.clientId}`
              : [],
          useGrantedResource: () => true,
          getResourceServerInfo: (ctx) => ({
            scope: "",
            audience: ctx.oidc.client!.clientId,
            accessTokenFormat: "jwt",
            accessTokenTTL: 600,
            jwt: { sign: { alg: "RS256" } },
          }),
        },
      },
      extraTokenClaims: (_ctx, token) =>
        "accountId" in token ? started.accounts.get(token.accountId) : undefined,
      findAccount: (_ctx, sub) => {
        const claims = started.accounts.get(sub);
        const told = (use: string) => (started.isTerse && use === "id_token" ? {} : claims);
        return claims && { accountId: sub, claims: (use) => ({ sub, ...told(use) }) };
      },
      loadExistingGrant: async (ctx) => {
        const { client, session, provider: own } = ctx.oidc;
        const grant = new own.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
        grant.addOIDCScope(SCOPES);
        await grant.save();
        return grant;
      },
      interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
      renderError: (ctx, out) => {
        ctx.type = "json";
        ctx.body = out;
      },
    });

  async function interact(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const result =
      started.subject === undefined
        ? { error: "access_denied", error_description: "said no" }
        : { login: { accountId: started.subject } };
    await provider.interactionFinished(request, reply, result, { mergeWithLastSubmission: false });
  }

  /** What the token endpoint says goes through `tamper` first. */
  function tamperWith(reply: ServerResponse): void {
    const end = reply.end.bind(reply);
    reply.end = ((body: Buffer | string) => {
      void started.tamper!(JSON.parse(String(body)) as Record<string, unknown>).then((changed) => {
        const text = JSON.stringify(changed);
        reply.setHeader("content-length", Buffer.byteLength(text));
        end(text);
      });
      return reply;
    }) as typeof reply.end;
  }

  const started: OpenIdProvider = {
    issuer,
    accounts: new Map(),
    subject: undefined,
    isTerse: false,
    asked: [],
    setAway(away) {
      isAway = away;
      if (away) server.closeAllConnections();
    },
    async rotateKeys() {
      key = await makeKey();
      provider = create();
    },
    async sign(claims, header = {}) {
      return await new SignJWT(claims)
        .setProtectedHeader({ alg: "RS256", kid: key.kid, ...header })
        .sign(key.privateKey);
    },
    visit: (address) => visit(issuer, address),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  provider = create();
  return started;
}

/** Follows the provider's redirects, keeping its cookies, until it sends the browser elsewhere. */
async function visit(issuer: string, address: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = new URL(address);
  for (let hop = 0; hop < 10; hop += 1) {
    const reply = await fetch(at, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
    });
    for (const line of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    const location = reply.headers.get("location");
    if (!location) throw new Error(`the provider answered ${reply.status}: ${await reply.text()}`);
    at = new URL(location, at);
    if (at.origin !== issuer) return at;
  }
  throw new Error("the provider redirects without end");
}
