import { runnableParts } from "#features/health/index.ts";
import type { Services, Worker } from "#platform/feature.ts";
import type { Claim } from "#platform/jobs/claims.ts";
import { recordSkipped } from "#platform/jobs/history.ts";
import { createScheduler } from "#platform/jobs/schedules.ts";
import { openConnector } from "#platform/outbound/open-connector.ts";
import { TOPOLOGY_SLOTS } from "../documents/topology-kind.ts";
import { TOPOLOGY_ABORTED } from "./abort-topology.ts";
import { syncTopology } from "./sync-topology.ts";

/** Topologies that one server runs at a time. */
const concurrency = 4;
/** What a run may still take when the server stops; the next server runs it again. */
const stopGraceMs = 2_000;

/** Runs topologies that are due by the clock, or on demand: one run of each at a time, on any number of servers. */
export async function startTopologyRunner(services: Services): Promise<Worker> {
  const { ctx, config, listener, workers } = services;
  const { db } = ctx;
  const log = ctx.log.child({ source: "topology" });
  const connector = openConnector(config);
  const runnable = runnableParts(ctx);

  /** What runs here, by topology. */
  const running = new Map<string, AbortController>();

  async function runOne({ key, signal: claimed }: Claim): Promise<void> {
    const runLog = log.child({ topology: key });
    const aborted = new AbortController();
    running.set(key, aborted);
    const signal = AbortSignal.any([claimed, aborted.signal]);
    try {
      const own = ctx.with({ log: runLog, signal });
      await syncTopology(key, { ctx: own, connector, runnable, signal });
    } catch (error) {
      if (!aborted.signal.aborted) runLog.error({ err: error }, "a run of a topology failed");
    } finally {
      running.delete(key);
    }
  }

  const scheduler = createScheduler({
    db,
    log,
    listener,
    workers,
    stopGraceMs,
    kinds: [
      {
        kind: TOPOLOGY_SLOTS,
        concurrency,
        run: async (claims, release) => {
          await Promise.all(claims.map((claim) => runOne(claim).then(() => release(claim))));
        },
        skipped: async (slots) => {
          for (const { key, slot } of slots)
            await recordSkipped(
              db,
              { name: "Topology", resource: { type: "topology", id: key }, retention: "balanced" },
              slot,
            );
        },
      },
    ],
  });
  const unlisten = await listener.on(TOPOLOGY_ABORTED, (id) =>
    running.get(id ?? "")?.abort(new Error("Somebody has aborted the run.")),
  );
  await scheduler.start();
  return {
    async stop() {
      unlisten();
      await scheduler.stop();
    },
  };
}
