import type { SecurityReply } from "@mainstay/contract";
import { z } from "zod";
import type { Services } from "#platform/feature.ts";
import type { Http } from "#platform/http/route.ts";
import { type RotatedKey, rotateKey } from "./rotate-key.ts";

const Rotate = z.object({ new: z.boolean().default(false) });

export function routes(http: Http, { securityFacts, encrypted }: Services): void {
  http.get(
    "/api/security",
    { access: { resource: "security", action: "read" } },
    async ({ ctx }): Promise<SecurityReply> => ({ facts: await securityFacts(ctx) }),
  );
  http.post(
    "/api/security/rotate-key",
    { access: { resource: "security", action: "write" }, body: Rotate },
    ({ ctx, body }): Promise<RotatedKey> => rotateKey(ctx, encrypted, { isNew: body.new }),
  );
}
