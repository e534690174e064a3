import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectionFinder } from "#features/connections/index.ts";
import { createLog } from "#platform/log.ts";
import { keysInUse, renewSecrets } from "#platform/encrypted-stores.ts";
import { createEncryption, openEncryption } from "#platform/encryption.ts";
import { canarySealer } from "#features/health/documents/canary-sealer.ts";
import { createApp } from "../../app.ts";
import { collectStores } from "#platform/encrypted-stores.ts";
import { features } from "../../features.ts";
import { client, startTestApp, type TestApp, testConfig } from "../../testing/app.ts";
import { createPerson } from "../../testing/people.ts";

let app: TestApp;
let dataDir: string;
beforeAll(async () => {
  dataDir = mkdtempSync("/tmp/mainstay-keys-");
  app = await startTestApp({ role: "api", dataDir, encryptionKey: undefined });
});
afterAll(async () => {
  await app.stop();
  rmSync(dataDir, { recursive: true });
});

const stores = collectStores(features);
const returned = { prefer: "return=representation" };
const rotate = (body: object = {}) => app.admin.post("/api/security/rotate-key", body);
const keyNow = () => openEncryption(app.app.ctx.config).keyId;
const usedKeys = async () => [...new Set((await keysInUse(app.db, stores)).map(({ id }) => id))];

async function save(name: string, password: string): Promise<string> {
  const row = {
    name,
    type: "http",
    url: "https://a.example.com",
    password,
    properties: { token: "t0ken" },
  };
  const { json } = await app.admin.post("/api/db/connections", row, returned);
  return json[0].id as string;
}
const passwordOf = async (id: string) =>
  (await app.app.ctx.service(connectionFinder).findFresh(id, { namespace: "default" })).password;

async function openCanary(name: string) {
  const [row] = await app.db.rows<{ spec: Record<string, unknown>; sealed: object }>(
    sql`select spec, sealed from canaries where name = ${name}`,
  );
  return canarySealer(app.app.ctx.config).open(row!.spec, row!.sealed as never);
}

test("everything is read with the new key, while others go on to save", async () => {
  const ids = new Map<string, string>();
  for (let index = 0; index < 250; index += 1)
    ids.set(await save(`before-${index}`, `password-${index}`), `password-${index}`);
  await app.admin.post("/api/db/canaries", {
    name: "keyed",
    spec: {
      schedule: "@never",
      http: [{ name: "a", url: "http://127.0.0.1:1", password: "in-canary" }],
    },
  });
  const person = await createPerson(app, "viewer");
  const encryption = openEncryption(app.app.ctx.config);
  const [{ id: identityId }] = (await app.db.rows<{ id: string }>(
    sql`select id from identities where id = (select id from people where id = ${person.id})`,
  )) as [{ id: string }];
  const totp = { secret: encryption.encrypt("JBSWY3DP", `totp ${identityId}`), last: 1 };
  await app.db.run(
    sql`insert into identity_credentials (identity_id, type, config) values (${identityId}, 'totp', ${JSON.stringify(totp)}::jsonb)`,
  );
  const times = async () =>
    app.db.rows(
      sql`select id, updated_at from connections where name like 'before-%' and name <> 'before-0' order by id`,
    );
  const [before, old] = [await times(), keyNow()];

  // Another server, which knows of nothing but the old key.
  const rotation = { isDone: false };
  const saving = (async () => {
    const [busy] = ids.keys();
    let count = 0;
    for (; !rotation.isDone || count < 5; count += 1) {
      const password = `changed-${count}`;
      const patched = await app.admin.patch(`/api/db/connections?id=eq.${busy!}`, { password });
      expect(patched.status).toBe(204);
      ids.set(busy!, password);
      ids.set(await save(`during-${count}`, password), password);
    }
    return count;
  })();
  let answer = await rotate({ new: true });
  let rows: number = answer.json.rows;
  while (answer.json.left > 0) {
    answer = await rotate();
    rows += answer.json.rows;
  }
  rotation.isDone = true;
  expect(await saving).toBeGreaterThan(0);
  expect(rows).toBeGreaterThan(251);
  expect(answer.json).toMatchObject({ key: keyNow(), previous: [old], left: 0 });
  expect(keyNow()).not.toBe(old);
  expect(await usedKeys()).toEqual([keyNow()]);
  expect(await times()).toEqual(before);
  for (const [id, password] of ids) expect(await passwordOf(id)).toBe(password);
  expect(await openCanary("keyed")).toMatchObject({
    failures: [],
    document: { http: [{ password: "in-canary" }] },
  });
  const [credential] = await app.db.rows<{ config: { secret: string; last: number } }>(
    sql`select config from identity_credentials where type = 'totp'`,
  );
  expect(credential!.config.last).toBe(1);
  const current = readFileSync(join(dataDir, "encryption.key"), "utf8").trim();
  const alone = createEncryption(Buffer.from(current, "base64"));
  expect(alone.decrypt(credential!.config.secret, `totp ${identityId}`)).toBe("JBSWY3DP");
  // A stored value that is written again is still no change.
  const [id] = ids.keys();
  const again = await app.admin.patch(`/api/db/connections?id=eq.${id!}`, {
    password: ids.get(id!),
  });
  expect(again.status).toBe(204);
  expect(await app.db.rows(sql`select id from encryption_keys`)).toEqual([{ id: keyNow() }]);
});

test("what is interrupted goes on where it was", async () => {
  // Too many to be done in one call.
  await app.db.run(sql`
    insert into connections (name, type, sealed)
    select 'many-' || n || name, type, sealed from connections, generate_series(1, 8) n where name like 'before-%'`);
  await rotate({ new: true });
  const encryption = openEncryption(app.app.ctx.config);
  const done = await app.db.rows(sql`select id from connections`);
  // The first portions are kept, the next is taken back, as when a server is killed.
  let portions = 0;
  const killed = renewSecrets(
    (work) =>
      app.db.transaction(async (tx) => {
        const result = await work(tx);
        portions += 1;
        if (portions === 3) throw new Error("killed");
        return result;
      }),
    encryption,
    stores,
  );
  await expect(killed).rejects.toThrow("killed");
  expect(await usedKeys()).toContain(encryption.keyId);
  expect((await usedKeys()).length).toBeGreaterThan(1);
  for (let left = 1; left > 0;) left = (await rotate()).json.left as number;
  expect(await usedKeys()).toEqual([encryption.keyId]);
  expect((await app.db.rows(sql`select id from connections`)).length).toBe(done.length);
  expect(await passwordOf(await save("after-kill", "still-there"))).toBe("still-there");
});

test("a server without the key does not start, and says which it lacks", async () => {
  const start = (changes: object) =>
    createApp({
      config: testConfig({ role: "api", ...changes }),
      db: app.db,
      log: createLog("fatal"),
    });
  const other = Buffer.alloc(32, 9).toString("base64");
  await expect(start({ encryptionKey: other })).rejects.toThrow(
    new RegExp(
      `in [a-z, _]*connections.*encrypted with key ${keyNow()}, which this server does not have`,
    ),
  );
  const known = readFileSync(join(dataDir, "encryption.key"), "utf8").trim();
  const second = await start({ encryptionKey: other, encryptionKeysPrevious: [known] });
  await second.listen();
  const session = await second.createLocalSession();
  const asker = client(second.address, { "x-session-token": session.token });
  const refused = await asker.post("/api/security/rotate-key", { new: true });
  expect([refused.status, refused.json.error]).toEqual([
    400,
    expect.stringContaining("MAINSTAY_ENCRYPTION_KEY"),
  ]);
  const moved = await asker.post("/api/security/rotate-key", {});
  expect(moved.json).toMatchObject({ rows: expect.any(Number), previous: [keyNow()] });
  await session.revoke();
  await second.stop();
});

test("administrators change keys, and nobody else", async () => {
  for (const role of ["editor", "viewer"] as const) {
    const person = await createPerson(app, role);
    expect((await person.post("/api/security/rotate-key", {})).status).toBe(403);
  }
  expect((await app.nobody.post("/api/security/rotate-key", {})).status).toBe(401);
});
