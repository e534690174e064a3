import type { Actor, Ctx } from "#platform/context.ts";
import type { Authenticator } from "#platform/http/authenticator.ts";
import { assertOwnPage, assertSameSite } from "./request-origin.ts";
import { lacksSecondFactor, type Session, sessionOf } from "./sessions.ts";

/** Says who asks, by the session in the request, and refuses what another site sends with somebody's cookie. */
export function createSessionAuthenticator(ctx: Ctx): Authenticator {
  const { config } = ctx;
  return async (request) => {
    const session = await sessionOf(ctx, request);
    // Who has a second factor and has not shown it is nobody yet; the identity service tells them.
    if (!session || lacksSecondFactor(session)) {
      if (config.checkerOnly) assertOwnPage(request, config);
      return undefined;
    }
    // Where another service says who people are, sessions from before it did are void.
    if (config.identityUrl !== undefined && !isOfThisMachine(session)) return undefined;
    if (session.from === "cookie") assertSameSite(request, config);
    return actorOf(session);
  };
}

/** The command line's own. */
const isOfThisMachine = ({ authentication_methods: methods }: Session) =>
  methods.some(({ method }) => method === "local");

/** On whose behalf something happens in a session. */
export const actorOf = ({ id: sessionId, person, roles, expires_at: endsAt }: Session): Actor => ({
  kind: "person",
  id: person.id,
  name: person.name,
  email: person.email,
  roles,
  sessionId,
  endsAt,
});
