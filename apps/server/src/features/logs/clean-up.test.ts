import sql from "sql-template-tag";
import { expect, test } from "vitest";
import { makePartition } from "#platform/db/partitions.ts";
import { startTestApp } from "../../testing/app.ts";
import { roomJob } from "./clean-up.ts";
import { lineWriter } from "./store/line-writer.ts";

test("the oldest days go until the rest fits, today's never; then new lines are refused", async () => {
  const app = await startTestApp({ role: "api", logStore: 16 * 1024 * 1024 });
  const { ctx } = app.app;
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000);
  const nameOf = (ago: number) => day(ago).toISOString().slice(0, 10).replaceAll("-", "");
  for (const ago of [2, 1])
    await makePartition(app.db, { table: "log_lines" }, day(ago).toISOString().slice(0, 10));
  const fill = (ago: number, lines: number) =>
    app.db.run(sql`
      insert into log_lines (time, message)
      select ${day(ago)}::timestamptz, md5(n::text) || repeat(md5((n * 7)::text), 4) from generate_series(1, ${lines}) n`);
  for (const ago of [2, 1]) await fill(ago, 12_000);
  const countedOn = (ago: number) =>
    app.db.first<{ lines: number }>(sql`
      select coalesce(sum(lines), 0)::int8 as lines from log_counts
       where minute >= ${day(ago).toISOString().slice(0, 10)}::timestamptz
         and minute < ${day(ago - 1)
           .toISOString()
           .slice(0, 10)}::timestamptz`);
  expect(await countedOn(2)).toEqual({ lines: 12_000 });
  const report = await roomJob.run(ctx);
  // Bars without lines would be drawn of what is still counted.
  expect(await countedOn(2)).toEqual({ lines: 0 });
  expect(report.details).toMatchObject({ dropped: expect.arrayContaining([nameOf(2)]) });
  expect(report.errors).toEqual([]);
  await fill(0, 40_000);
  const full = await roomJob.run(ctx);
  expect(full.errors[0]).toMatch(/today alone/);
  await expect(ctx.service(lineWriter).write([{ message: "one more" }])).rejects.toMatchObject({
    code: "tooMany",
    retryAfter: 60,
  });
  await expect(app.db.run(sql`select drop_log_day(${`log_lines_${nameOf(0)}`})`)).rejects.toThrow(
    /no day of lines/,
  );
  await expect(app.db.run(sql`select drop_log_day('people')`)).rejects.toThrow(/no day of lines/);
  await app.stop();
});
