import {
  logContextQuestion,
  logDownloadQuestion,
  logHistogramQuestion,
  type LogLabels,
  logQuestion,
  logTailQuestion,
  type LogSources,
} from "@mainstay/contract";
import type { FastifyRequest } from "fastify";
import type { Services } from "#platform/feature.ts";
import type { Http } from "#platform/http/route.ts";
import { ingestLines, ingestOtlp, longestBody, type SentLines } from "./ingesting/ingest.ts";
import { otlpAnswer } from "./ingesting/otlp.ts";
import { routes as documentRoutes } from "./documents/routes.ts";
import { tellSource } from "./searching/ask-source.ts";
import { countLogs } from "./searching/count-logs.ts";
import { downloadLogs } from "./searching/download.ts";
import { listSources } from "./searching/find-sources.ts";
import { readContext } from "./searching/read-context.ts";
import { readLogs } from "./searching/read-logs.ts";
import { logShares } from "./shares.ts";
import { labelValues } from "./store/label-values.ts";
import { createTail } from "./tailing/tail.ts";

const read = { resource: "logging_backends", action: "read" } as const;

const write = { resource: "logging_backends", action: "write" } as const;
const bytes = { access: write, bodyAsBytes: true, bodyLimit: longestBody } as const;

const sentLines = ({ body, headers }: FastifyRequest): SentLines => ({
  body,
  contentType: headers["content-type"],
});

export function routes(http: Http, services: Services): void {
  const share = logShares();
  const tail = createTail(services);
  http.get("/api/logs/tail", { access: read, query: logTailQuestion }, ({ ctx, query, ...parts }) =>
    tail(ctx, query, parts),
  );
  http.post("/api/logs/ingest", bytes, ({ ctx, request }) => ingestLines(ctx, sentLines(request)));
  http.post("/api/logs/ingest/v1/logs", bytes, async ({ ctx, request, reply }) => {
    const { as, refused } = await ingestOtlp(ctx, sentLines(request));
    return reply
      .type(as === "json" ? "application/json" : "application/x-protobuf")
      .send(otlpAnswer(refused, as));
  });
  documentRoutes(http);
  http.post("/api/logs", { access: read, body: logQuestion }, ({ ctx, body, request }) =>
    share({ ctx, request }, (spent) => timed(spent, () => readLogs(ctx, body))),
  );
  http.post(
    "/api/logs/histogram",
    { access: read, body: logHistogramQuestion },
    ({ ctx, body, request }) =>
      share({ ctx, request }, (spent) => timed(spent, () => countLogs(ctx, body))),
  );
  http.post(
    "/api/logs/context",
    { access: read, body: logContextQuestion },
    ({ ctx, body, request }) =>
      share({ ctx, request }, (spent) => timed(spent, () => readContext(ctx, body))),
  );
  http.get(
    "/api/logs/download",
    { access: read, query: logDownloadQuestion },
    async ({ ctx, query: { format = "text", ...question }, reply }) => {
      const name = `logs-${ctx.clock.now().toISOString().slice(0, 19).replaceAll(":", "")}`;
      const file = await downloadLogs(ctx, { ...question, format });
      return reply
        .type(format === "json" ? "application/json; charset=utf-8" : "text/plain; charset=utf-8")
        .header(
          "content-disposition",
          `attachment; filename="${name}.${format === "json" ? "json" : "log"}"`,
        )
        .send(file);
    },
  );
  http.get("/api/logs/labels", { access: read }, async ({ ctx }): Promise<LogLabels> => ({
    labels: await ctx.service(labelValues).get(),
  }));
  http.get("/api/logs/sources", { access: read }, async ({ ctx }): Promise<LogSources> => ({
    sources: (await listSources(ctx)).map((source) => tellSource(source)),
  }));
}

async function timed<T>(spent: (ms: number) => void, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  try {
    return await work();
  } finally {
    spent(performance.now() - begun);
  }
}
