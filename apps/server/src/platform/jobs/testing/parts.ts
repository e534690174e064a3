import type pg from "pg";
import { systemClock } from "../../clock.ts";
import { readConfig } from "../../../settings.ts";
import { createCtx } from "../../context.ts";
import { type Database, openDatabase } from "../../db/database.ts";
import { createListener, type Listener } from "../../events/listener.ts";
import { emit } from "../../events/emit.ts";
import { createLog, type Log } from "../../log.ts";
import type { RunCtx } from "../job.ts";

/** What the tests of jobs and events stand on, in this process or in one that they start. */
export interface TestParts {
  connection: pg.ClientConfig;
  db: Database;
  log: Log;
  listener: Listener;
  createCtx: RunCtx;
  close(): Promise<void>;
}

export function connectTestParts(connection: pg.ClientConfig): TestParts {
  const log = createLog((process.env.TEST_LOG as "warn" | undefined) ?? "silent");
  const db = openDatabase({ connection, applicationName: "test", onError: () => undefined });
  const listener = createListener({ db, log });
  const runCtx: RunCtx = (run) =>
    createCtx({
      actor: { kind: "system" },
      config: readConfig({}, {}),
      db,
      clock: systemClock,
      ...run,
      toTx: (queryable) => ({
        ...queryable,
        enqueue: () => Promise.reject(new Error("This test has no queue.")),
        emit: (event, payload) => emit(queryable, event, payload),
      }),
    });
  return {
    connection,
    db,
    log,
    listener,
    createCtx: (run) => runCtx({ ...run, db: run.db ?? db }),
    async close() {
      await listener.close();
      await db.close();
    },
  };
}
