import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import sql from "sql-template-tag";
import { expect, test, vi } from "vitest";
import { openDatabase } from "#platform/db/database.ts";
import { createLog } from "#platform/log.ts";
import { createApp } from "../../../app.ts";
import { testConfig, testDatabase } from "../../../testing/app.ts";
import { createPerson } from "../../../testing/people.ts";
import { lineWriter } from "../store/line-writer.ts";

/** A real PostgreSQL behind a socket of its own, which can be taken away and given back. */
function between(url: string) {
  const address = new URL(url.replace("@/", "@localhost/"));
  const [host, port] = [address.searchParams.get("host")!, address.searchParams.get("port")!];
  const folder = mkdtempSync("/tmp/mainstay-socket-");
  const name = `.s.PGSQL.${port}`;
  const open = new Set<Socket>();
  let server: Server | undefined;
  return {
    url: url.replace(encodeURIComponent(host), encodeURIComponent(folder)),
    async give() {
      server = createServer((socket) => {
        const behind = connect(join(host, name));
        for (const [one, other] of [
          [socket, behind],
          [behind, socket],
        ] as const) {
          open.add(one);
          one.pipe(other);
          one.on("error", () => other.destroy());
          one.on("close", () => {
            open.delete(one);
            other.destroy();
          });
        }
      }).listen(join(folder, name));
      await once(server, "listening");
    },
    async take() {
      server?.close();
      for (const socket of open) socket.destroy();
      await once(server!, "close");
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

test("lines that come while the database is gone are refused in words, and taken when it is back", async () => {
  const database = await testDatabase();
  const way = between(database.url);
  await way.give();
  const db = openDatabase({
    connection: { connectionString: way.url },
    applicationName: "server",
    onError: () => undefined,
  });
  const app = await createApp({
    config: testConfig({ role: "api" }),
    db,
    owner: database.owner,
    log: createLog("silent"),
    consoleDirectory: "/nonexistent",
  });
  await app.listen();
  const parts = { db: database.db, address: app.address } as Parameters<typeof createPerson>[0];
  const editor = await createPerson(parts, "editor");
  const send = (count: number, msg: string) =>
    editor.post(
      "/api/logs/ingest",
      Array.from({ length: count }, () => ({ msg })),
    );
  expect((await send(1, "before")).status).toBe(200);
  await way.take();
  const refused = await send(12_000, "while it is gone");
  expect([refused.status, refused.headers.get("retry-after"), refused.json.message]).toEqual([
    503,
    "5",
    "The database cannot be reached at the moment. Please try again.",
  ]);
  await way.give();
  await vi.waitFor(async () => expect((await send(1, "after")).status).toBe(200), 20_000);
  const rows = await database.db.rows<{ message: string; lines: number }>(
    sql`select message, count(*) as lines from log_lines where message in ('before', 'while it is gone', 'after') group by 1 order by 1`,
  );
  expect(rows).toEqual([
    { message: "after", lines: 1 },
    { message: "before", lines: 1 },
  ]);

  // A failure within the request leaves nothing of it, though it takes several statements.
  await database.owner.raw(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
    create trigger refuse before insert on log_lines for each row when (new.message = 'poison') execute function refuse()`);
  const lines = Array.from({ length: 12_001 }, (_, n) => ({
    message: n === 12_000 ? "poison" : "healthy",
  }));
  await expect(app.ctx.service(lineWriter).write(lines)).rejects.toThrow("no");
  expect(
    await database.db.first(sql`select count(*) as lines from log_lines where message = 'healthy'`),
  ).toEqual({ lines: 0 });
  await app.stop();
  await db.close();
  await way.take();
  way.remove();
  await database.drop();
});
