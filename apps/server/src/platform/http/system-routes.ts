import type { FastifyInstance } from "fastify";
import type { Database } from "../db/database.ts";
import type { Metrics } from "../metrics.ts";
import type { Readiness } from "../readiness.ts";
import sql from "sql-template-tag";

/** What machines ask about this program. None of it needs a session, and none of it says more than it must. */
export function systemRoutes(
  app: FastifyInstance,
  parts: { db: Database; metrics: Metrics; readiness: Readiness; isStopping: () => boolean },
): void {
  const { db, metrics, readiness, isStopping } = parts;
  app.get("/api/_health", async () => ({ health: "ok" }));
  app.get("/api/_ready", async (_request, reply) => {
    if (isStopping())
      return reply.status(503).send({ ready: false, reason: "the server is stopping" });
    try {
      await db.rows(sql`select 1`);
    } catch {
      return reply.status(503).send({ ready: false, reason: "the database cannot be reached" });
    }
    const reason = readiness.notReady();
    if (reason !== undefined) return reply.status(503).send({ ready: false, reason });
    return { ready: true };
  });
  app.get("/metrics", async (_request, reply) =>
    reply
      .header("content-type", metrics.registry.contentType)
      .send(await metrics.registry.metrics()),
  );
}
