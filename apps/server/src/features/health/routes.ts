import { appliedSource } from "@mainstay/contract";
import { z } from "zod";
import type { Services } from "#platform/feature.ts";
import { networkOf } from "#platform/http/network-of.ts";
import type { Http } from "#platform/http/route.ts";
import { serverVersion } from "../../version.ts";
import { saveDocuments } from "#platform/documents/save-documents.ts";
import { routes as artifactRoutes } from "./artifacts/routes.ts";
import { createCallLimit, makeCallUrl, noteCall } from "./calls.ts";
import { receivedCall } from "./received-call.ts";
import { canaryKind } from "./documents/canary-kind.ts";
import { CanaryChanges, changeCanaries } from "./documents/change-canaries.ts";
import { routes as savedViewRoutes } from "./saved-views/routes.ts";
import { openConnector } from "#platform/outbound/open-connector.ts";
import { dryRun } from "./runner/dry-run.ts";
import { createCanaryLoader } from "./runner/load-canaries.ts";
import { runnableParts } from "./runner/runnable-parts.ts";
import { runCheckNow } from "./runner/run-check-now.ts";
import { schemaFile } from "./schemas.ts";
import { checkMetricsOf } from "./scripts/metric-store.ts";
import { tryScript } from "./scripts/try-script.ts";
import { readGraph } from "./summary/graph.ts";
import { createSummaryService } from "./summary/summary-service.ts";

/** Largest text of documents that is accepted; what is inside has limits of its own. */
const TEXT_LIMIT = 2 * 1024 * 1024;

const id = z.guid("This is not an id.");
const timeText = z.string().max(64).optional();
const CheckParams = z.object({ id });
const SummaryQuery = z.object({
  start: timeText,
  since: timeText,
  end: timeText,
  until: timeText,
  timeRange: timeText,
});
const GraphQuery = z.object({
  check: id,
  start: timeText,
  since: timeText,
  end: timeText,
  until: timeText,
  count: z.coerce.number().int().min(2).max(10_000).default(300),
  runs: z.coerce.number().int().min(1).max(1_000).optional(),
});
const Documents = z.object({
  text: z.string().max(TEXT_LIMIT),
  source: z.string().min(1).max(1024).default(appliedSource),
});
const Trial = z.object({
  language: z.enum(["javascript", "gotemplate", "cel", "jsonpath"]),
  script: z.string().max(200_000),
  check: id.optional(),
  context: z.record(z.string(), z.unknown()).optional(),
});
const DryRun = z.object({
  document: z.string().max(TEXT_LIMIT),
  /** The canary whose stored secrets the placeholders of the text mean; else it is found by its uid or its name. */
  id: id.optional(),
});

export function routes(
  http: Http,
  { ctx: own, config, address, workers, readiness, metrics }: Services,
): void {
  const summary = createSummaryService(own.db, readiness.notReady);
  const loader = createCanaryLoader({
    db: own.db,
    log: own.log,
    config,
    runnable: runnableParts(own),
  });
  const connector = openConnector(config);
  const checkMetrics = checkMetricsOf(metrics.registry);
  const calls = createCallLimit();
  const read = { resource: "canaries", action: "read" } as const;
  const write = { resource: "canaries", action: "write" } as const;

  artifactRoutes(http);
  savedViewRoutes(http);
  for (const ask of [http.get, http.post]) {
    ask(
      "/api/canary/api/summary",
      { access: read, query: SummaryQuery },
      async ({ ctx, query, request, reply }) => {
        const range = {
          start: query.start ?? query.since ?? query.timeRange,
          end: query.end ?? query.until,
        };
        const answer = await summary(ctx, range, request.headers["if-none-match"]);
        // Kept by the browser, and asked about every time.
        reply.header("etag", answer.etag).header("cache-control", "private, no-cache");
        if (answer.body === undefined) return reply.status(304).send();
        return reply.type("application/json; charset=utf-8").send(answer.body);
      },
    );
    ask(
      "/api/canary/beat/:token",
      { access: "public", params: z.object({ token: z.string().max(512) }), bodyAsText: true },
      async ({ ctx, params, body, request }) => {
        calls.count(networkOf(request.ip));
        await noteCall(ctx, { token: params.token, ...receivedCall(request.headers, body) });
        return { message: "ok" };
      },
    );
  }

  http.post(
    "/api/canary/webhook/:name",
    {
      access: "public",
      params: z.object({ name: z.string().max(512) }),
      query: z.object({ token: z.string().max(512).optional() }),
      bodyAsText: true,
    },
    async ({ ctx, params, query, body, request }) => {
      calls.count(networkOf(request.ip));
      const header = request.headers["webhook-token"];
      const token = query.token ?? (typeof header === "string" ? header : "");
      await noteCall(ctx, { token, name: params.name, ...receivedCall(request.headers, body) });
      return { message: "ok" };
    },
  );
  http.get("/api/canary/api/graph", { access: read, query: GraphQuery }, ({ ctx, query }) =>
    readGraph(ctx, {
      check: query.check,
      start: query.start ?? query.since,
      end: query.end ?? query.until,
      count: query.count,
      runs: query.runs,
    }),
  );
  http.post(
    "/api/canary/run/check/:id",
    { access: "session", params: CheckParams },
    ({ ctx, params }) => runCheckNow(ctx, { loader, connector, workers, checkMetrics }, params.id),
  );
  http.post(
    "/api/canary/run/document",
    { access: write, body: DryRun, bodyLimit: 2 * TEXT_LIMIT },
    ({ ctx, body }) => dryRun(ctx, { text: body.document, id: body.id, connector }),
  );
  http.post(
    "/api/canary/script",
    { access: write, body: Trial, bodyLimit: 2 * TEXT_LIMIT },
    ({ ctx, body }) => tryScript(ctx, body),
  );
  http.post("/api/canary/changes", { access: write, body: CanaryChanges }, ({ ctx, body }) =>
    changeCanaries(ctx, body),
  );
  http.post(
    "/api/canary/documents",
    { access: write, body: Documents, bodyLimit: 2 * TEXT_LIMIT },
    async ({ ctx, body }) => {
      const { documents, notices } = await saveDocuments(ctx, [canaryKind], body);
      return { canaries: documents, notices };
    },
  );
  http.post("/api/canary/beat-url/:id", { access: write, params: CheckParams }, ({ ctx, params }) =>
    makeCallUrl(ctx, { checkId: params.id, address: address() }),
  );
  http.get("/api/canary/about", { access: "session" }, ({ ctx }) => ({
    Timestamp: ctx.clock.now().toISOString(),
    Version: serverVersion,
    ...(config.checkerOnly ? { checkerOnly: true, readOnly: !config.checkerWrite } : {}),
  }));
  http.get("/api/canary/health", { access: "public" }, ({ reply }) =>
    reply.type("text/plain").send("OK"),
  );
  http.get(
    "/api/schemas/:file",
    { access: "session", params: z.object({ file: z.string().max(200) }) },
    ({ params }) => schemaFile(params.file),
  );
}
