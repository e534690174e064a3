import sql from "sql-template-tag";
import { createScheduler } from "../schedules.ts";
import { connectTestParts } from "./parts.ts";
import { createWorkerRegistry } from "../worker-registry.ts";

/**
 * One server as far as schedules are concerned: writes a row into `runs` for every slot it runs, in the transaction
 * that releases it. With the second argument `hold` it takes slots and never ends them.
 */
const hold = process.argv[3] === "hold";
const parts = connectTestParts(JSON.parse(process.argv[2] ?? "{}") as object);
const { db } = parts;
const workers = createWorkerRegistry({ ...parts, beatMs: 200, deadAfterMs: 2_000 });
const scheduler = createScheduler({
  ...parts,
  workers,
  kinds: [
    {
      kind: "tick",
      concurrency: 1_000,
      async run(claims) {
        console.log(`holds ${claims.length}`);
        if (hold) await new Promise(() => undefined);
        await db.transaction(async (tx) => {
          await tx.run(sql`
            insert into runs (key, slot, worker)
            select key, slot, ${workers.id} from unnest(${claims.map((claim) => claim.key)}::text[], ${claims.map((claim) => claim.slot)}::timestamptz[]) c (key, slot)`);
          await tx.run(scheduler.releaseSql(claims));
        });
        scheduler.released(claims);
      },
    },
  ],
});
await workers.start();
await scheduler.start();
process.once("SIGTERM", () => {
  void (async () => {
    await scheduler.stop();
    await workers.stop();
    await parts.close();
  })();
});
console.log(`ready ${workers.id}`);
