import type { Services } from "#platform/feature.ts";
import type { Http } from "#platform/http/route.ts";
import { hostedProvider } from "./authenticate-hosted.ts";

export function routes(http: Http, { config }: Services): void {
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
}
