import type { SecurityReply } from "@mainstay/contract";
import type { Services } from "#platform/feature.ts";
import type { Http } from "#platform/http/route.ts";

export function routes(http: Http, { securityFacts }: Services): void {
  http.get(
    "/api/security",
    { access: { resource: "security", action: "read" } },
    async ({ ctx }): Promise<SecurityReply> => ({ facts: await securityFacts(ctx) }),
  );
}
