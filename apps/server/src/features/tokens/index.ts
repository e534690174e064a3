import type { Feature } from "#platform/feature.ts";
import { cleanUpTokens } from "./clean-up.ts";
import { routes } from "./routes.ts";

export { createTokenAuthenticator } from "./authenticate-token.ts";
export { insertToken, type TokenToInsert } from "./create-token.ts";

/** Access tokens: what programs sign in with. */
export const tokens: Feature = {
  name: "tokens",
  routes,
  schedules: [cleanUpTokens],
  views: new URL("./views.sql", import.meta.url),
};
