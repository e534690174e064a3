import type { Feature } from "#platform/feature.ts";
import { databaseFacts } from "./database-facts.ts";
import { lostSecretFacts } from "./lost-secret-facts.ts";
import { routes } from "./routes.ts";
import { serverFacts } from "./server-facts.ts";

/** What weakens this server, as every feature says it of its own part; for administrators. */
export const security: Feature = {
  name: "security",
  routes,
  security: async ({ db }, { config, address, encrypted }) => [
    ...serverFacts(config, address()),
    ...(await databaseFacts(db)),
    ...(await lostSecretFacts(db, encrypted)),
  ],
};
