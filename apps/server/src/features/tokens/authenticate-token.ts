import type { FastifyRequest } from "fastify";
import { assertSameSite, readAuthorization, TOKEN_USER } from "#features/identity/index.ts";
import type { Actor, Ctx } from "#platform/context.ts";
import { invalid, unauthenticated } from "#platform/errors.ts";
import type { Authenticator } from "#platform/http/authenticator.ts";
import { createTokenFinder } from "./find-token.ts";
import { parseToken } from "./token-text.ts";

/**
 * Says who asks with an access token: `Authorization: Bearer <token>`, or Basic with the user name `token`. What is
 * presented and wrong is refused, never passed over in favour of a cookie.
 */
export function createTokenAuthenticator(ctx: Ctx): Authenticator {
  const finder = createTokenFinder(ctx);

  async function identify(text: string, request: FastifyRequest): Promise<Actor | undefined> {
    const token = await finder.find(text, request.ip);
    if (!token) return undefined;
    if (token.isExpired) throw unauthenticated("access token has expired");
    const { id, name, person, roles, expiresAt } = token;
    return {
      kind: "person",
      ...person,
      roles,
      ...(expiresAt && { endsAt: expiresAt }),
      token: { id, name },
    };
  }

  return async (request) => {
    const authorization = readAuthorization(request);
    if (authorization?.scheme === "bearer") {
      // Sessions, too, come as bearer tokens: what has not the shape of an access token is looked at by others.
      if (!parseToken(authorization.token)) return undefined;
      const actor = await identify(authorization.token, request);
      if (!actor) throw unauthenticated("invalid access token");
      return actor;
    }
    if (authorization?.scheme !== "basic" || authorization.user !== TOKEN_USER) return undefined;
    // Browsers remember Basic credentials and send them whoever made them send.
    assertSameSite(request, ctx.config);
    const actor = await identify(authorization.password, request);
    // The status that agents of the reference know.
    if (!actor) throw invalid("invalid access token");
    return actor;
  };
}
