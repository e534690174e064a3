import type { Feature } from "#platform/feature.ts";
import { cleanUpIdentity } from "./clean-up.ts";
import { routes } from "./routes.ts";
import { tables } from "./tables.ts";

export { createAuthenticator } from "./authenticate.ts";
export { createFirstAdministrator, type FirstAdministrator } from "./create-first-administrator.ts";
export { createIdentity, type NewIdentity } from "./create-identity.ts";
export { createLocalSession, type LocalSession } from "./create-local-session.ts";
export { assertSameSite } from "./request-origin.ts";
export { createSession, forgetSessions } from "./sessions.ts";

/** Signing in and out, in the wire shape of Ory Kratos. */
export const identity: Feature = {
  name: "identity",
  tables,
  routes,
  schedules: [cleanUpIdentity],
  views: new URL("./views.sql", import.meta.url),
};
