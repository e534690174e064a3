import { z } from "zod";
import { openConnector } from "#platform/outbound/open-connector.ts";
import type { Services } from "#platform/feature.ts";
import type { Http } from "#platform/http/route.ts";
import { PushedTopology, pushTopology } from "./documents/push-topology.ts";
import { runTopologyNow } from "./documents/run-topology-now.ts";
import { dryRun } from "./documents/try-topologies.ts";
import { routes as explainRoutes } from "./explain/routes.ts";
import { routes as pastRoutes } from "./past/routes.ts";
import { routes as proposalRoutes } from "./proposal/routes.ts";
import { routes as readingRoutes } from "./reading/routes.ts";
import { topologyShares } from "./shares.ts";
import { abortTopology } from "./syncing/abort-topology.ts";

const textLimit = 2 * 1024 * 1024;
/** Components of a whole topology. */
const pushLimit = 16 * 1024 * 1024;
const One = z.object({ id: z.guid() });
const DryRun = z.object({
  document: z.string().max(textLimit),
  /** The topology whose stored secrets the placeholders of the text mean; else it is found by its uid or its name. */
  id: z.guid().optional(),
});

export function routes(http: Http, services: Services): void {
  const share = topologyShares();
  const connector = openConnector(services.config);
  const write = { resource: "topologies", action: "write" } as const;
  readingRoutes(http, services, share);
  pastRoutes(http, share);
  explainRoutes(http, share);
  proposalRoutes(http, share);
  http.post(
    "/api/topology/:id/run",
    { access: write, params: One, status: 202 },
    ({ ctx, params }) => runTopologyNow(ctx, params.id),
  );
  http.post(
    "/api/topology/:id/abort",
    { access: write, params: One, status: 202 },
    ({ ctx, params }) => abortTopology(ctx, params.id),
  );
  http.post(
    "/api/push/topology",
    {
      access: write,
      query: z.object({ agentName: z.string().max(253).optional() }),
      body: PushedTopology,
      bodyLimit: pushLimit,
    },
    ({ ctx, query, body }) => pushTopology(ctx, { agentName: query.agentName, pushed: body }),
  );
  http.post(
    "/api/topology/run/document",
    { access: write, body: DryRun, bodyLimit: 2 * textLimit },
    ({ ctx, body }) => dryRun(ctx, { text: body.document, id: body.id, connector }),
  );
}
