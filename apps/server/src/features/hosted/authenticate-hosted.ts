import { StartupError } from "@mainstay/embedded-postgres";
import type { FastifyRequest } from "fastify";
import { assertSameSite } from "#features/identity/index.ts";
import type { Config } from "#platform/config.ts";
import type { Ctx } from "#platform/context.ts";
import type { Authenticator } from "#platform/http/authenticator.ts";
import { findHostedPerson } from "./find-person.ts";
import type { HostedProvider, HostedTokens } from "./validate-token.ts";

/** The provider's own cookie, where console and provider share a site. */
const COOKIE = "__session";
const jwt = /^[\w-]+\.[\w-]+\.[\w-]*$/;
const MAX_LENGTH = 8192;

type HostedConfig = Pick<Config, "hostedIssuer" | "hostedClientId" | "hostedOrganization">;

/** The provider that was set, whole or not at all. */
export function hostedProvider(config: HostedConfig): HostedProvider | undefined {
  const {
    hostedIssuer: issuer,
    hostedClientId: clientId,
    hostedOrganization: organization,
  } = config;
  if (!issuer) return undefined;
  if (!clientId) throw new StartupError("HOSTED_ISSUER needs HOSTED_CLIENT_ID beside it.");
  if (!organization)
    throw new StartupError(
      "HOSTED_ISSUER needs HOSTED_ORGANIZATION beside it: without it, every organization of the provider would be let in.",
    );
  return { issuer, clientId, organization };
}

/** Says who asks with a token of the hosted provider; nothing when there is none. */
export function createHostedAuthenticator(ctx: Ctx): Authenticator {
  const { config } = ctx;
  const provider = hostedProvider(config);
  if (!provider) return async () => undefined;
  let opened: Promise<HostedTokens> | undefined;
  // Loaded only where it is used: it brings the cryptography of tokens with it.
  const openTokens = async () => {
    const { createHostedTokens } = await import("./validate-token.ts");
    return createHostedTokens({ ...provider, clock: ctx.clock });
  };
  return async (request) => {
    const { token, from } = readToken(request) ?? {};
    if (!token) return undefined;
    const hosted = await (opened ??= openTokens());
    const claims = await hosted.validate(token);
    if (from === "cookie") assertSameSite(request, config);
    const person = await findHostedPerson(ctx, claims, async () =>
      claims.name && claims.email ? claims : { ...(await hosted.userInfo(token)), ...claims },
    );
    return {
      kind: "person",
      ...person,
      ...(claims.sessionId ? { sessionId: claims.sessionId } : {}),
    };
  };
}

function readToken(
  request: FastifyRequest,
): { token: string; from: "header" | "cookie" } | undefined {
  const header = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (header) return isToken(header) ? { token: header, from: "header" } : undefined;
  const cookie = request.cookies[COOKIE];
  return cookie && isToken(cookie) ? { token: cookie, from: "cookie" } : undefined;
}

const isToken = (text: string) => text.length <= MAX_LENGTH && jwt.test(text);
