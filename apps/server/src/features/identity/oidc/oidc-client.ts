import type * as openidClient from "openid-client";
import type { Configuration, ServerMetadata } from "openid-client";
import { fetchLimited } from "#platform/http/fetch-limited.ts";

type Library = typeof openidClient;

/** What a provider says of itself is believed for so long. */
const METADATA_MS = 10 * 60 * 1000;
/** Clocks may differ by so much. */
const SKEW_SECONDS = 30;

export interface OpenIdClientOptions {
  issuer: string;
  clientId: string;
  /** Public clients have none. */
  clientSecret?: string;
  scope: string;
}

/** What the browser is sent away with; kept until it comes back. */
export interface Attempt {
  state: string;
  nonce: string;
  /** A secret until then. */
  verifier: string;
  /** When the browser was sent away to show who is there once more, in milliseconds. */
  confirmsSince?: number;
}

/** What a provider vouches for. */
export interface Claims extends Record<string, unknown> {
  sub: string;
}

export interface OpenIdClient {
  /** Where to send the browser. */
  begin(parts: {
    redirectUri: string;
    /** With `confirmsSince`, asks for the password although the browser is signed in there. */
    attempt: Attempt;
  }): Promise<string>;
  /** Who came back, by the address the browser came back to. */
  finish(address: string, attempt: Attempt): Promise<Claims>;
}

/** `away`: it does not answer, or not as a provider. `denied`: the person or the provider said no. `wrong`: what it said does not hold. */
export class OpenIdError extends Error {
  readonly reason: "away" | "denied" | "wrong";

  constructor(reason: OpenIdError["reason"], cause: unknown) {
    super(`the provider is ${reason}: ${(cause as Error).message}`, { cause });
    this.name = "OpenIdError";
    this.reason = reason;
  }
}

export function createOpenIdClient(options: OpenIdClientOptions): OpenIdClient {
  const { issuer, clientId, clientSecret, scope } = options;
  let known: { metadata: ServerMetadata; at: number } | undefined;

  /** One for each sign-in, so that the provider's keys are those of now. */
  async function configure(): Promise<{
    openid: Library;
    config: Configuration;
  }> {
    // Only where a provider is configured.
    const openid = await import("openid-client");
    const auth =
      clientSecret === undefined ? openid.None() : openid.ClientSecretBasic(clientSecret);
    const insecure = new URL(issuer).protocol === "http:" ? [openid.allowInsecureRequests] : [];
    const execute = [...insecure, openid.enableNonRepudiationChecks];
    const fetcher = (url: string, init: object) => fetchLimited(url, init);
    if (!known || performance.now() - known.at > METADATA_MS) {
      const found = await openid.discovery(new URL(issuer), clientId, clientSecret, auth, {
        execute: insecure,
        [openid.customFetch]: fetcher,
      });
      known = { metadata: found.serverMetadata(), at: performance.now() };
    }
    const metadata = { [openid.clockTolerance]: SKEW_SECONDS };
    const config = new openid.Configuration(known.metadata, clientId, metadata, auth);
    config[openid.customFetch] = fetcher;
    for (const step of execute) step(config);
    return { openid, config };
  }

  return {
    async begin({ redirectUri, attempt }) {
      const { openid, config } = await configure().catch((cause: unknown) => {
        throw new OpenIdError("away", cause);
      });
      return openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: "S256",
        // The second makes providers say when it was, so that a browser that left the first out is found out.
        ...(attempt.confirmsSince === undefined ? {} : { prompt: "login", max_age: "0" }),
      }).href;
    },
    async finish(address, attempt) {
      const { openid, config } = await configure().catch((cause: unknown) => {
        throw new OpenIdError("away", cause);
      });
      try {
        const tokens = await openid.authorizationCodeGrant(config, new URL(address), {
          pkceCodeVerifier: attempt.verifier,
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims()!;
        if (claims.iat > Date.now() / 1000 + SKEW_SECONDS)
          throw new OpenIdError("wrong", new Error("the ID token was issued in the future"));
        refuseEarlier(claims.auth_time, attempt.confirmsSince);
        if (claims.email !== undefined || !known?.metadata.userinfo_endpoint) return claims;
        return { ...(await moreAbout(openid, config, tokens.access_token, claims.sub)), ...claims };
      } catch (cause) {
        throw cause instanceof OpenIdError
          ? cause
          : new OpenIdError(reasonOf(cause, openid), cause);
      }
    },
  };
}

/** Who was asked to show who they are has shown it since. Providers that do not say when it was are believed. */
function refuseEarlier(authenticatedAt: unknown, since: number | undefined): void {
  if (since === undefined || typeof authenticatedAt !== "number") return;
  if (authenticatedAt < since / 1000 - SKEW_SECONDS)
    throw new OpenIdError("wrong", new Error("the provider did not ask again who it is"));
}

/** What the provider keeps out of its ID tokens, and tells when asked. That it refuses to is no reason to refuse anybody. */
async function moreAbout(
  openid: Library,
  config: Configuration,
  accessToken: string,
  subject: string,
): Promise<Record<string, unknown>> {
  try {
    return await openid.fetchUserInfo(config, accessToken, subject);
  } catch (error) {
    if (isNetwork(error)) throw error;
    return {};
  }
}

function reasonOf(cause: unknown, openid: Library): OpenIdError["reason"] {
  if (cause instanceof openid.AuthorizationResponseError) return "denied";
  // The library wraps what the network does.
  return isNetwork(cause) ? "away" : "wrong";
}

function isNetwork(error: unknown): boolean {
  for (let at = error as Error | undefined; at; at = at.cause as Error | undefined) {
    if (at.name === "TimeoutError" || at.message === "fetch failed") return true;
    if (
      typeof (at as { code?: unknown }).code === "string" &&
      /^(E[A-Z]+|UND_ERR_\w+)$/.test((at as { code?: string }).code!)
    )
      return true;
  }
  return false;
}
