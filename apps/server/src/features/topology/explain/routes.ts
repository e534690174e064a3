import { type ExplainedKind, type Resource } from "@mainstay/contract";
import { z } from "zod";
import type { Http } from "#platform/http/route.ts";
import type { Share } from "#platform/http/shares.ts";
import { askInTurn } from "../shares.ts";
import { explain } from "./explain.ts";

const readers = {
  component: "topologies",
  check: "canaries",
  config: "config_scrapers",
} as const satisfies Record<ExplainedKind, Resource>;

const params = z.object({ id: z.guid("This is not an id.") });

export function routes(http: Http, share: Share): void {
  for (const [kind, resource] of Object.entries(readers) as [ExplainedKind, Resource][])
    http.get(
      `/api/explain/${kind}/:id`,
      { access: { resource, action: "read" }, params },
      ({ ctx, params: { id }, request }) =>
        askInTurn(share, { ctx, request }, (tx) => explain(ctx, tx, { kind, id })),
    );
}
