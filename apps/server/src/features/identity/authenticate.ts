import type { Clock } from "#platform/clock.ts";
import type { Config } from "#platform/config.ts";
import type { Database } from "#platform/db/database.ts";
import type { Authenticator } from "#platform/http/server.ts";
import { assertSameSite } from "./request-origin.ts";
import { sessionOf } from "./sessions.ts";

/** Says who asks, by the session in the request, and refuses what another site sends with somebody's cookie. */
export function createAuthenticator(parts: {
  db: Database;
  clock: Clock;
  config: Pick<Config, "publicUrl">;
}): Authenticator {
  return async (request) => {
    const session = await sessionOf(parts, request);
    if (!session) return undefined;
    if (session.from === "cookie") assertSameSite(request, parts.config);
    const { person, roles } = session;
    return {
      kind: "person",
      id: person.id,
      name: person.name,
      email: person.email,
      roles,
      sessionId: session.id,
    };
  };
}
