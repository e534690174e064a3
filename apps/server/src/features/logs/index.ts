import type { Feature } from "#platform/feature.ts";
import { roomJob } from "./clean-up.ts";
import { loggingBackendKind } from "./documents/logging-backend-kind.ts";
import { keepOwnLog } from "./ingesting/own-log.ts";
import { startSyslog } from "./ingesting/syslog-server.ts";
import { loggingBackend } from "./resources.ts";
import { routes } from "./routes.ts";
import { logsSettings } from "./settings.ts";
import { tables } from "./tables.ts";

const dayMs = 86_400_000;

/** Log lines: where they are, and what is asked of them. */
export const logs: Feature = {
  name: "logs",
  resources: [loggingBackend],
  documents: [loggingBackendKind],
  tables,
  settings: logsSettings,
  routes,
  schedules: [roomJob],
  partitions: [
    {
      table: "log_lines",
      column: "time",
      daysKept: ({ logRetention }) => Math.ceil(logRetention / dayMs),
    },
  ],
  async always(services) {
    const own = keepOwnLog(services);
    const syslog = await startSyslog(services);
    return {
      async stop() {
        await syslog.stop();
        await own.stop();
      },
    };
  },
  views: new URL("views.sql", import.meta.url),
};

export { eachLogPage, readLogs } from "./searching/read-logs.ts";
