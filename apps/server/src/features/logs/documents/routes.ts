import { z } from "zod";
import type { Http } from "#platform/http/route.ts";
import { tryBackends } from "./try-backends.ts";

const textLimit = 2 * 1024 * 1024;
const DryRun = z.object({
  document: z.string().max(textLimit),
  /** The document whose stored secrets the placeholders of the text mean; else it is found by its uid or its name. */
  id: z.guid().optional(),
});

export function routes(http: Http): void {
  http.post(
    "/api/logs/backends/test/document",
    {
      access: { resource: "logging_backends", action: "write" },
      body: DryRun,
      bodyLimit: 2 * textLimit,
    },
    ({ ctx, body }) => tryBackends(ctx, { text: body.document, id: body.id }),
  );
}
