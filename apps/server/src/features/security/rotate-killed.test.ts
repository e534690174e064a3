// Takes long: each moment is a process that starts with all of the features, and is killed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mapConnectionSecrets } from "@mainstay/contract";
import { sample } from "@mainstay/testkit/sample.ts";
import { collectStores, keysInUse } from "#platform/encrypted-stores.ts";
import { makeNewKey, openEncryption } from "#platform/encryption.ts";
import { createLog } from "#platform/log.ts";
import { createSealer } from "#platform/sealing/sealer.ts";
import { type App, createApp } from "../../app.ts";
import { features } from "../../features.ts";
import {
  type Client,
  client,
  type MigratedDatabase,
  testConfig,
  testDatabase,
} from "../../testing/app.ts";

const program = fileURLToPath(new URL("testing/rotate-and-stay.ts", import.meta.url));

let database: MigratedDatabase;
let app: App;
let admin: Client;
let dataDir: string;
beforeAll(async () => {
  dataDir = mkdtempSync("/tmp/mainstay-keys-");
  database = await testDatabase();
  app = await createApp({
    config: testConfig({ role: "api", dataDir, encryptionKey: undefined }),
    db: database.db,
    owner: database.owner,
    log: createLog("error"),
  });
  await app.listen();
  const { token } = await app.createLocalSession();
  admin = client(app.address, { "x-session-token": token });
});
afterAll(async () => {
  await app.stop();
  await database.drop();
  rmSync(dataDir, { recursive: true });
});

/** Rotates in a process of its own, while others do something again and again, and kills it without a word at a moment. */
async function killAt(moment: string, others: () => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: database.url,
      MAINSTAY_DATA_DIR: dataDir,
      STAY_AT: moment,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  let last: string | undefined;
  const killing = { isOver: false };
  const meanwhile = async () => {
    for (let count = 0; !killing.isOver || count < 10; count += 1) await others();
  };
  let work: Promise<void> | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    last = line;
    work ??= meanwhile();
    if (line === moment) killing.isOver = child.kill("SIGKILL");
  }
  killing.isOver = true;
  await work;
  expect([last, (await ended)[1]]).toEqual([moment, "SIGKILL"]);
}

test("a rotation that is killed wherever it is loses nothing and seals nothing twice, while others save", async () => {
  const passwords = new Map<string, string>();
  const save = async (name: string, password: string) => {
    const row = { name, type: "http", url: "https://a.example.com", password };
    const { json } = await admin.post("/api/db/connections", row, {
      prefer: "return=representation",
    });
    passwords.set(json[0].id as string, password);
    return json[0].id as string;
  };
  const busy = [await save("busy-1", "one"), await save("busy-2", "two")];
  await database.db.run(sql`
    insert into connections (name, type, url, password, sealed)
    select 'many-' || n, type, url, password, sealed from connections, generate_series(1, 700) n where name = 'busy-1'`);
  const many = await database.db.rows<{ id: string }>(
    sql`select id from connections where name like 'many-%'`,
  );
  for (const { id } of many) passwords.set(id, "one");
  const old = openEncryption(app.ctx.config).keyId;
  makeNewKey(app.ctx.config);

  let count = 0;
  const saveOther = async () => {
    const [id, password] = [busy[count % 2]!, `changed-${count}`];
    const { status } = await admin.patch(`/api/db/connections?id=eq.${id}`, { password });
    expect(status).toBe(204);
    passwords.set(id, password);
    if (count < 50) await save(`during-${count}`, password);
    count += 1;
  };
  const used = async () => {
    const keys = await keysInUse(database.db, collectStores(features));
    return new Set(keys.map(({ id }) => id));
  };
  // With nothing done, with a portion done and not kept, with one kept, and in the middle of the next.
  for (const moment of sample(["begun 1", "done 2", "committed 2", "done 3"], 2)) {
    await killAt(moment, saveOther);
    expect(await used()).toContain(old);
  }
  for (let left = 1; left > 0;)
    left = (await admin.post("/api/security/rotate-key", {})).json.left as number;

  const { keyId } = openEncryption(app.ctx.config);
  expect([...(await used())]).toEqual([keyId]);
  // With the new key alone, and to the very text.
  const alone = readFileSync(join(dataDir, "encryption.key"), "utf8").trim();
  const sealer = createSealer(
    { dataDir: "/nonexistent", encryptionKey: alone },
    { name: "connection", map: mapConnectionSecrets },
  );
  const rows = await database.db.rows<{ id: string; sealed: object }>(
    sql`select id, sealed from connections where deleted_at is null`,
  );
  const opened = rows.map(({ id, sealed }) => {
    const { document, failures } = sealer.open(
      { type: "http", url: "https://a.example.com", password: "********" },
      sealed as never,
    );
    return [id, failures.length === 0 ? document.password : failures[0]!.message];
  });
  expect(new Map(opened as [string, string][])).toEqual(passwords);
});
