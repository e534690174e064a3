import type { FastifyRequest } from "fastify";
import {
  assertSameSite,
  type CredentialReader,
  readAuthorization,
  TOKEN_USER,
} from "#features/identity/index.ts";
import type { Clock } from "#platform/clock.ts";
import type { Config } from "#platform/config.ts";
import type { Actor } from "#platform/context.ts";
import type { Database } from "#platform/db/database.ts";
import { invalid, unauthenticated } from "#platform/errors.ts";
import { createTokenFinder } from "./find-token.ts";
import { parseToken } from "./token-text.ts";

/**
 * Says who asks with an access token: `Authorization: Bearer <token>`, or Basic with the user name `token`. What is
 * presented and wrong is refused, never passed over in favour of a cookie.
 */
export function createTokenAuthenticator(parts: {
  db: Database;
  clock: Clock;
  config: Pick<Config, "publicUrl">;
}): CredentialReader {
  const finder = createTokenFinder(parts);

  async function identify(text: string, request: FastifyRequest): Promise<Actor | undefined> {
    const token = await finder.find(text, request.ip);
    if (!token) return undefined;
    if (token.isExpired) throw unauthenticated("access token has expired");
    const { id, name, person, roles } = token;
    return { kind: "person", ...person, roles, token: { id, name } };
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
    assertSameSite(request, parts.config);
    const actor = await identify(authorization.password, request);
    // The status that agents of the reference know.
    if (!actor) throw invalid("invalid access token");
    return actor;
  };
}
