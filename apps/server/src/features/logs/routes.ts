import {
  logContextQuestion,
  logDownloadQuestion,
  logHistogramQuestion,
  type LogLabels,
  logQuestion,
  type LogSources,
} from "@mainstay/contract";
import type { Services } from "#platform/feature.ts";
import type { Http } from "#platform/http/route.ts";
import { tellSource } from "./searching/ask-source.ts";
import { countLogs } from "./searching/count-logs.ts";
import { downloadLogs } from "./searching/download.ts";
import { listSources } from "./searching/find-sources.ts";
import { readContext } from "./searching/read-context.ts";
import { readLogs } from "./searching/read-logs.ts";
import { logShares } from "./shares.ts";
import { labelValues } from "./store/label-values.ts";

const read = { resource: "logging_backends", action: "read" } as const;

export function routes(http: Http, _services: Services): void {
  const share = logShares();
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
