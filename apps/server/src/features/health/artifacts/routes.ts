import { Readable } from "node:stream";
import { z } from "zod";
import type { Http } from "#platform/http/route.ts";
import { listArtifacts } from "./list-artifacts.ts";
import { openArtifact } from "./open-artifact.ts";

const id = z.guid("This is not an id.");
const time = z.iso.datetime({
  offset: true,
  error: "This is no time such as 2024-01-31T12:00:00Z.",
});

/** Files of checks: who may read the check may have them. */
export function routes(http: Http): void {
  const access = { resource: "canaries", action: "read" } as const;

  http.get(
    "/api/artifacts/list/check/:id/:check_time",
    { access, params: z.object({ id, check_time: time }) },
    ({ ctx, params }) => listArtifacts(ctx, { checkId: params.id, time: params.check_time }),
  );
  http.get(
    "/api/artifacts/download/:id",
    { access, params: z.object({ id }), isSentAsIs: true },
    async ({ ctx, params, request, reply }) => {
      const { headers, content } = await openArtifact(ctx, params.id);
      reply.headers(headers);
      // Of a stream Fastify reads all, also where only its head is asked for.
      return reply.send(request.method === "HEAD" ? Readable.from([]) : content());
    },
  );
}
