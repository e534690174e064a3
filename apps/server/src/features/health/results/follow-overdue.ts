import type { Database } from "#platform/db/database.ts";
import type { Worker } from "#platform/feature.ts";
import type { Log } from "#platform/log.ts";
import { markOverdue } from "./mark-overdue.ts";

const EVERY_MS = 5_000;

/** Marks what is overdue now and then, on servers of every role: those that run checks may be the ones that are gone. */
export function followOverdue(db: Database, log: Log, everyMs = EVERY_MS): Worker {
  let marking: Promise<void> | undefined;
  let isFailing = false;
  async function mark(): Promise<void> {
    try {
      const marked = await markOverdue(db);
      if (marked > 0) log.warn({ checks: marked }, "checks have no result although one was due");
      isFailing = false;
    } catch (error) {
      // Readers see it all the same; the database's absence is said elsewhere, once is enough here.
      if (!isFailing)
        log.error({ err: error }, "what is overdue could not be marked; trying again");
      isFailing = true;
    }
  }
  const timer = setInterval(() => {
    marking ??= mark().finally(() => {
      marking = undefined;
    });
  }, everyMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await marking;
    },
  };
}
