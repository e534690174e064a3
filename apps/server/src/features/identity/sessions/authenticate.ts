import type { FastifyRequest } from "fastify";
import type { Clock } from "#platform/clock.ts";
import type { Config } from "#platform/config.ts";
import type { Database } from "#platform/db/database.ts";
import type { Authenticator } from "#platform/http/server.ts";
import type { Actor } from "#platform/context.ts";
import { assertOwnPage, assertSameSite } from "./request-origin.ts";
import { lacksSecondFactor, type Session, sessionOf } from "./sessions.ts";

/**
 * Another way of saying who asks, looked at before the session: nothing when the request does not use it; throws when
 * it does, and wrongly.
 */
export type CredentialReader = (request: FastifyRequest) => Promise<Actor | undefined>;

/** Says who asks, by the session in the request, and refuses what another site sends with somebody's cookie. */
export function createAuthenticator(parts: {
  db: Database;
  clock: Clock;
  config: Pick<Config, "publicUrl" | "sessionIdle" | "identityUrl" | "checkerOnly">;
  readers?: readonly CredentialReader[];
}): Authenticator {
  return async (request) => {
    for (const read of parts.readers ?? []) {
      const actor = await read(request);
      if (actor) return actor;
    }
    const session = await sessionOf(parts, request);
    // Who has a second factor and has not shown it is nobody yet; the identity service tells them.
    if (!session || lacksSecondFactor(session)) {
      if (parts.config.checkerOnly) assertOwnPage(request, parts.config);
      return undefined;
    }
    // Where another service says who people are, sessions from before it did are void.
    if (parts.config.identityUrl !== undefined && !isOfThisMachine(session)) return undefined;
    if (session.from === "cookie") assertSameSite(request, parts.config);
    return actorOf(session);
  };
}

/** The command line's own. */
const isOfThisMachine = ({ authentication_methods: methods }: Session) =>
  methods.some(({ method }) => method === "local");

/** On whose behalf something happens in a session. */
export const actorOf = ({ id: sessionId, person, roles }: Session): Actor => ({
  kind: "person",
  id: person.id,
  name: person.name,
  email: person.email,
  roles,
  sessionId,
});
