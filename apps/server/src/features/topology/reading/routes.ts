import { Readable } from "node:stream";
import type { Services } from "#platform/feature.ts";
import type { Http } from "#platform/http/route.ts";
import type { Share } from "#platform/http/shares.ts";
import { readQuestion, TopologyQuery } from "./question.ts";
import { createTopologyService } from "./topology-service.ts";

export function routes(http: Http, { ctx: own }: Pick<Services, "ctx">, share: Share): void {
  const read = { resource: "topologies", action: "read" } as const;
  const topology = createTopologyService(own.db);
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
