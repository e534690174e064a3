import type { Feature } from "#platform/feature.ts";
import { createHostedAuthenticator, hostedProvider } from "./authenticate-hosted.ts";
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
  routes: (http, { config }) => {
    const provider = hostedProvider(config);
    // Asked by the console before anybody is signed in; none of it is secret.
    http.get("/api/auth/mode", { access: "public" }, () =>
      provider
        ? {
            mode: "hosted",
            issuer: provider.issuer,
            client_id: provider.clientId,
            organization: provider.organization,
            ...(config.hostedNewOrganization
              ? { new_organization: config.hostedNewOrganization }
              : {}),
          }
        : { mode: "own" },
    );
  },
};
