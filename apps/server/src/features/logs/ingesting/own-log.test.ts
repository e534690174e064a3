import sql from "sql-template-tag";
import { expect, test, vi } from "vitest";
import { createLog, type LogLines } from "#platform/log.ts";
import { testConfig, testDatabase } from "../../../testing/app.ts";
import { createApp } from "../../../app.ts";
import { ownLine } from "./own-log.ts";

test("what the server logs is in its store, without its secrets, and nothing below info", async () => {
  const hearers = new Set<(line: string) => void>();
  const logLines: LogLines = {
    listen(hear) {
      hearers.add(hear);
      return () => hearers.delete(hear);
    },
  };
  const log = createLog("debug", { write: (line) => hearers.forEach((hear) => hear(line)) });
  const database = await testDatabase();
  const config = testConfig({ ownLog: true, role: "api" });
  const app = await createApp({
    config,
    db: database.db,
    owner: database.owner,
    log,
    logLines,
    consoleDirectory: "/nonexistent",
  });
  await app.listen();
  log.warn({ password: "hunter2", source: "test", err: new Error("the reason") }, "kept");
  log.debug("not kept");
  const read = () =>
    database.db.rows<{ message: string; level: number; labels: Record<string, string> }>(
      sql`select message, level, labels from log_lines where labels @> '{"service":"mainstay"}'`,
    );
  await vi.waitFor(
    async () =>
      expect((await read()).find(({ message }) => message === "kept: the reason")).toMatchObject({
        level: 3,
        labels: { source: "test", password: "[redacted]" },
      }),
    10_000,
  );
  await app.stop();
  const all = JSON.stringify(await read());
  expect(all).not.toContain("hunter2");
  expect(all).not.toContain("not kept");
  expect(hearers.size).toBe(0);
  await database.drop();
});

test("an error that is logged alone says its words once", () => {
  const line = (msg: string) =>
    ownLine(JSON.stringify({ level: 50, msg, err: { message: "the disk is full" } }), "here");
  expect(line("the disk is full")).toMatchObject({ message: "the disk is full" });
  expect(line("not stored")).toMatchObject({ message: "not stored: the disk is full" });
});

test("what is no line of the log is left out", () => {
  expect(ownLine("no JSON", "here")).toBeUndefined();
  expect(ownLine('{"level":20,"msg":"debug"}', "here")).toBeUndefined();
  expect(ownLine('{"level":30}', "here")).toMatchObject({ message: "", level: "info" });
});
