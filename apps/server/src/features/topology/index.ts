import { componentHealthEvents } from "@mainstay/contract";
import type { Feature } from "#platform/feature.ts";
import { retentionJobs } from "./clean-up.ts";
import { topologyKind } from "./documents/topology-kind.ts";
import { relatingJobs } from "./relating/jobs.ts";
import { component, topologyResource } from "./resources.ts";
import { followChanges } from "./roll-up/follow-changes.ts";
import { routes } from "./routes.ts";
import { startTopologyRunner } from "./syncing/topology-runner.ts";
import { functions, tables } from "./tables.ts";

export { buildOnce, type TopologyResult } from "./syncing/build-once.ts";

/** Components: what a system is made of, as its people see it, and how it is. */
export const topology: Feature = {
  name: "topology",
  resources: [topologyResource, component],
  documents: [topologyKind],
  tables,
  functions,
  routes,
  schedules: [...retentionJobs, ...relatingJobs],
  events: Object.values(componentHealthEvents),
  views: new URL("views.sql", import.meta.url),
  async worker(services) {
    const runner = await startTopologyRunner(services);
    const follower = followChanges(services.ctx);
    return {
      async stop() {
        await Promise.all([runner.stop(), follower.stop()]);
      },
    };
  },
};
