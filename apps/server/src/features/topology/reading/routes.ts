import { Readable } from "node:stream";
import type { Services } from "#platform/feature.ts";
import type { Http } from "#platform/http/route.ts";
import { createShares } from "#platform/http/shares.ts";
import { readQuestion, TopologyQuery } from "./question.ts";
import { createTopologyService } from "./topology-service.ts";

/** What one asker, and all together, may have of the database for answers of the topology. */
const shares = () =>
  createShares({
    // A page asks for its components and for its log selectors at the same time.
    asker: { atOnce: 2, waiting: 30, longestWaitMs: 10_000 },
    everybody: { atOnce: 4, waiting: 200, longestWaitMs: 10_000 },
    budget: { mostMs: 20_000, perMinuteMs: 20_000, askers: 10_000 },
  });

export function routes(http: Http, { ctx: own }: Services): void {
  const read = { resource: "topologies", action: "read" } as const;
  const topology = createTopologyService(own.db);
  const share = shares();
  for (const path of ["/api/topology", "/api/canary/api/topology"])
    http.get(
      path,
      { access: read, query: TopologyQuery },
      async ({ ctx, query, request, reply }) => {
        const question = readQuestion(query);
        const { etag, pieces } = await share({ ctx, request }, async (spent) => {
          const begun = performance.now();
          try {
            return await topology(ctx, question, request.headers["if-none-match"]);
          } finally {
            spent(performance.now() - begun);
          }
        });
        // Kept by the browser, and asked about every time.
        reply.header("etag", etag).header("cache-control", "private, no-cache");
        if (!pieces) return reply.status(304).send();
        return reply.type("application/json; charset=utf-8").send(Readable.from(pieces));
      },
    );
}
