import * as oauth from "oauth4webapi";
import type { HostedMode } from "#lib/auth-mode.ts";
import type { Attempt } from "./attempt.ts";

/** Answers that take longer are none. */
const TIMEOUT_MS = 15_000;
/** ID tokens come straight from the provider: a clock that is a little wrong keeps nobody out. */
const SKEW_SECONDS = 300;

export interface Tokens {
  /** What the server is asked with. */
  bearer: string;
  /** When a new one is asked for, by this computer's clock, where the provider says how long it lasts. */
  renewAt?: number;
  refreshToken?: string;
  idToken?: string;
}

export interface SignedIn extends Tokens {
  claims: Record<string, unknown>;
}

/** The provider as it describes itself, and what this console asks of it. */
export interface Provider {
  /** Where the browser goes to sign in. */
  signInAddress(attempt: Attempt): Promise<string>;
  /** Exchanges what the provider sent the browser back with. */
  finish(back: URL, attempt: Attempt): Promise<SignedIn>;
  refresh(tokens: Tokens): Promise<Tokens>;
  /** What the provider says now about whoever the tokens are for. */
  readClaims(signedIn: SignedIn): Promise<Record<string, unknown>>;
  /** Where the browser goes to sign out, if the provider has such a place. */
  signOutAddress(tokens: Tokens, returnTo: string): string | undefined;
  /** Ends what would bring new tokens. */
  revoke(tokens: Tokens): Promise<void>;
}

/** The provider's own refusal, in its words. */
export class ProviderRefusal extends Error {
  readonly code: string;
  constructor(code: string, description: string | undefined) {
    super(description ?? `The sign-in provider refused: ${code}.`);
    this.name = "ProviderRefusal";
    this.code = code;
  }
}

/** Seconds before its end that a token is renewed. */
const ahead = (lasts: number) => Math.min(60, lasts / 4);

const redirectAddress = () => `${window.location.origin}/signed-in`;
const isJwt = (token: string) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);

export async function openProvider({ issuer, client_id: clientId }: HostedMode): Promise<Provider> {
  const named = new URL(issuer);
  // A server takes such an issuer only from its own machine.
  const options = {
    [oauth.allowInsecureRequests]: named.protocol === "http:",
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
  };
  const client: oauth.Client = { client_id: clientId, [oauth.clockTolerance]: SKEW_SECONDS };
  const server = await discover(named, options);
  for (const name of ["token_endpoint", "userinfo_endpoint", "revocation_endpoint"] as const) {
    const address = server[name];
    // The page's policy lets it ask there only, and tokens go nowhere else.
    if (address !== undefined && new URL(address).origin !== named.origin)
      throw new Error(
        `The sign-in provider's ${name} is at ${new URL(address).origin}, which is not where the provider is.`,
      );
  }

  const scopes = ["openid", "profile", "email"];
  if (server.scopes_supported?.includes("offline_access")) scopes.push("offline_access");

  const tokensOf = (answer: oauth.TokenEndpointResponse, before?: Tokens): Tokens => {
    const claims = oauth.getValidatedIdTokenClaims(answer);
    const isOwn = isJwt(answer.access_token);
    const idToken = answer.id_token ?? before?.idToken;
    // Where access tokens say nothing to others, the ID token, which is made out to this console, does.
    const bearer = isOwn ? answer.access_token : idToken;
    if (bearer === undefined) throw new Error("The sign-in provider sent no token to ask with.");
    const lasts = isOwn ? answer.expires_in : claims && claims.exp - claims.iat;
    const refreshToken = answer.refresh_token ?? before?.refreshToken;
    return {
      bearer,
      ...(lasts === undefined ? {} : { renewAt: Date.now() + (lasts - ahead(lasts)) * 1000 }),
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...(idToken === undefined ? {} : { idToken }),
    };
  };

  return {
    async signInAddress({ state, nonce, verifier, organization }) {
      if (!server.authorization_endpoint)
        throw new Error("The sign-in provider does not say where people sign in.");
      const address = new URL(server.authorization_endpoint);
      const asked = {
        client_id: clientId,
        redirect_uri: redirectAddress(),
        response_type: "code",
        scope: scopes.join(" "),
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(organization === undefined ? {} : { organization }),
      };
      for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
      return address.href;
    },

    async finish(back, { state, nonce, verifier }) {
      try {
        const answer = await oauth.processAuthorizationCodeResponse(
          server,
          client,
          await oauth.authorizationCodeGrantRequest(
            server,
            client,
            oauth.None(),
            oauth.validateAuthResponse(server, client, back, state),
            redirectAddress(),
            verifier,
            options,
          ),
          { expectedNonce: nonce, requireIdToken: true },
        );
        const claims = oauth.getValidatedIdTokenClaims(answer)!;
        return { ...tokensOf(answer), claims };
      } catch (error) {
        throw inWords(error);
      }
    },

    async refresh(tokens) {
      try {
        const answer = await oauth.processRefreshTokenResponse(
          server,
          client,
          await oauth.refreshTokenGrantRequest(
            server,
            client,
            oauth.None(),
            tokens.refreshToken!,
            options,
          ),
        );
        return tokensOf(answer, tokens);
      } catch (error) {
        throw inWords(error);
      }
    },

    async readClaims({ bearer, claims }) {
      if (!server.userinfo_endpoint) return claims;
      const told = await oauth.processUserInfoResponse(
        server,
        client,
        String(claims.sub),
        await oauth.userInfoRequest(server, client, bearer, options),
      );
      return { ...claims, ...told };
    },

    signOutAddress({ idToken }, returnTo) {
      if (!server.end_session_endpoint) return undefined;
      const address = new URL(server.end_session_endpoint);
      address.searchParams.set("client_id", clientId);
      if (idToken !== undefined) address.searchParams.set("id_token_hint", idToken);
      address.searchParams.set("post_logout_redirect_uri", `${window.location.origin}/signed-out`);
      address.searchParams.set("state", returnTo);
      return address.href;
    },

    async revoke({ refreshToken }) {
      if (refreshToken === undefined || !server.revocation_endpoint) return;
      await oauth.revocationRequest(server, client, oauth.None(), refreshToken, options);
    },
  };
}

async function discover(
  issuer: URL,
  options: oauth.HttpRequestOptions<"GET">,
): Promise<oauth.AuthorizationServer> {
  try {
    const answer = await oauth.discoveryRequest(issuer, { algorithm: "oidc", ...options });
    return await oauth.processDiscoveryResponse(issuer, answer);
  } catch (error) {
    throw inWords(error);
  }
}

function inWords(error: unknown): unknown {
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError)
    return new ProviderRefusal(error.error, error.error_description);
  if (
    error instanceof oauth.OperationProcessingError ||
    error instanceof oauth.UnsupportedOperationError
  )
    return new Error(`The sign-in provider's answer cannot be used: ${error.message}.`, {
      cause: error,
    });
  return error;
}

/** The secrets of a new attempt. */
export const newAttempt = (about: Omit<Attempt, "state" | "nonce" | "verifier">): Attempt => ({
  ...about,
  state: oauth.generateRandomState(),
  nonce: oauth.generateRandomNonce(),
  verifier: oauth.generateRandomCodeVerifier(),
});
