import type { Feature } from "#platform/feature.ts";
import { createTokenAuthenticator } from "./authenticate-token.ts";
import { cleanUpTokens } from "./clean-up.ts";
import { routes } from "./routes.ts";
import { tokenFacts } from "./security-facts.ts";

export { insertToken, type TokenToInsert } from "./create-token.ts";

/** Access tokens: what programs sign in with. */
export const tokens: Feature = {
  name: "tokens",
  resources: [{ kind: "access_token", table: "access_tokens", read: "database" }],
  routes,
  schedules: [cleanUpTokens],
  authentications: [{ name: "access token", place: 10, create: createTokenAuthenticator }],
  personal: [{ table: "access_tokens", others: "rbac" }],
  security: tokenFacts,
  views: new URL("./views.sql", import.meta.url),
};
