import sql from "sql-template-tag";
import { expect, test } from "vitest";
import { dropOldPartitions, makePartitions } from "#platform/db/partitions.ts";
import { openDatabase } from "#platform/db/database.ts";
import { startTestApp } from "../../../testing/app.ts";
import { roomJob } from "../clean-up.ts";
import { createLineWriter } from "./line-writer.ts";

test("two servers write lines of several days while days are made and dropped", async () => {
  const app = await startTestApp({ role: "api" });
  const { ctx } = app.app;
  const databases = [0, 1].map(() =>
    openDatabase({
      // The pool keeps its password out of what is spread.
      connection: { ...app.db.pool.options, password: app.db.pool.options.password },
      applicationName: "another server",
      onError: () => undefined,
    }),
  );
  const writers = databases.map((db) => createLineWriter({ ...ctx, db }));
  const day = 86_400_000;
  const kept = { table: "log_lines", column: "time", daysKept: 3 };
  const rounds = 15;
  const each = 60;
  const written = writers.map(async (writer, of) => {
    for (let round = 0; round < rounds; round++)
      await writer.write(
        Array.from({ length: each }, (_, n) => ({
          message: `${of} ${round} ${n}`,
          nanos: BigInt(Date.now() - (n % 6) * day) * 1_000_000n,
        })),
      );
  });
  // Days that are over go meanwhile, for their age and for room.
  const full = { ...ctx, config: { ...ctx.config, logStore: 1 } };
  const cleaned = databases.map(async (db) => {
    for (let round = 0; round < rounds; round++) {
      await makePartitions(db, [kept]);
      await dropOldPartitions(db, kept);
      await roomJob.run({ ...full, db });
    }
  });
  await Promise.all([...written, ...cleaned]);
  const parts = await app.db.rows<{ name: string }>(sql`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'log_lines'::regclass order by 1`);
  expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
  // What is of today is all there, once.
  const today = await app.db.first<{ lines: number; different: number }>(sql`
    select count(*) as lines, count(distinct message) as different from log_lines where time > now() - interval '1 hour'`);
  const wanted = (2 * rounds * each) / 6;
  expect(today).toEqual({ lines: wanted, different: wanted });
  for (const writer of writers) await writer.stop();
  await Promise.all(databases.map((db) => db.close()));
  await app.stop();
});
