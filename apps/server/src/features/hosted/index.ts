import type { Feature } from "#platform/feature.ts";
import { createHostedAuthenticator } from "./authenticate-hosted.ts";
import { routes } from "./routes.ts";
import { hostedSettings } from "./settings.ts";

/** Signing in with an external provider that knows organizations, instead of the identity service. */
export const hosted: Feature = {
  name: "hosted",
  settings: hostedSettings,
  authentications: [{ name: "hosted provider", place: 40, create: createHostedAuthenticator }],
  otherOrigins: ({ hostedIssuer, hostedBackends, hostedOrigins }) => ({
    asked: hostedIssuer ? [new URL(hostedIssuer).origin, ...hostedBackends] : [],
    consoles: hostedOrigins,
  }),
  routes,
};
