import type { Feature } from "#platform/feature.ts";
import { cleanUpTokens } from "./clean-up.ts";
import { routes } from "./routes.ts";
import { tokenFacts } from "./security-facts.ts";

export { createTokenAuthenticator } from "./authenticate-token.ts";
export { insertToken, type TokenToInsert } from "./create-token.ts";

/** Access tokens: what programs sign in with. */
export const tokens: Feature = {
  name: "tokens",
  routes,
  schedules: [cleanUpTokens],
  security: tokenFacts,
  views: new URL("./views.sql", import.meta.url),
};
