// Takes long: the command is a process that starts, with all of the features.
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectionFinder } from "#features/connections/index.ts";
import { createEncryption } from "#platform/encryption.ts";
import { createLog } from "#platform/log.ts";
import { type App, createApp } from "../app.ts";
import {
  type Client,
  client,
  type MigratedDatabase,
  testConfig,
  testDatabase,
} from "../testing/app.ts";
import { mainstay, makeHome } from "./testing/mainstay.ts";

const [lostKey, key] = [Buffer.alloc(32, 5), Buffer.alloc(32, 6)];
const lostId = createEncryption(lostKey).keyId;
const keyId = createEncryption(key).keyId;
const text = (bytes: Buffer) => bytes.toString("base64");

const home = makeHome();
let database: MigratedDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.drop();
  home.remove();
});

const start = (keys: { encryptionKey: string; encryptionKeysPrevious?: string[] }) =>
  createApp({
    config: testConfig({ role: "api", ...keys }),
    db: database.db,
    owner: database.owner,
    log: createLog("fatal"),
  });
async function asAdmin<T>(app: App, work: (admin: Client) => Promise<T>): Promise<T> {
  await app.listen();
  const { token, revoke } = await app.createLocalSession();
  try {
    return await work(client(app.address, { "x-session-token": token }));
  } finally {
    await revoke();
    await app.stop();
  }
}
const forget = (...words: string[]) =>
  mainstay(["forget-key", ...words], {
    ...home.env,
    DATABASE_URL: database.url,
    MIGRATION_DATABASE_URL: database.ownerUrl,
    MAINSTAY_ENCRYPTION_KEY: text(key),
    LOG_LEVEL: "fatal",
  });

const returned = { prefer: "return=representation" };
const save = async (admin: Client, name: string, password: string): Promise<string> => {
  const row = {
    name,
    type: "http",
    url: "http://127.0.0.1:1",
    username: "ann",
    password,
    properties: { bearer: `${password}-token` },
  };
  const { json, text: said } = await admin.post("/api/db/connections", row, returned);
  expect(said).toContain(name);
  return json[0].id as string;
};

test("what a lost key had is listed, given up when that is meant, and waits to be written again", async () => {
  const [orders, personId] = await asAdmin(
    await start({ encryptionKey: text(lostKey) }),
    async (admin) => {
      const id = await save(admin, "orders", "gone-for-ever");
      const canary = await admin.post("/api/db/canaries", {
        name: "shop",
        spec: {
          schedule: "@never",
          http: [
            { name: "front", url: "http://127.0.0.1:1", password: "gone-too" },
            { name: "back", connection: "connection://orders" },
          ],
        },
      });
      expect(canary.status).toBe(201);
      const [person] = await database.db.rows<{ id: string }>(
        sql`select id from people where email = 'admin@local'`,
      );
      const secret = createEncryption(lostKey).encrypt("JBSWY3DP", `totp ${person!.id}`);
      await database.db.run(
        sql`insert into identity_credentials (identity_id, type, config) values (${person!.id}, 'totp', ${JSON.stringify({ secret })}::jsonb)`,
      );
      return [id, person!.id] as const;
    },
  );
  const kept = await asAdmin(
    await start({ encryptionKey: text(key), encryptionKeysPrevious: [text(lostKey)] }),
    (admin) => save(admin, "kept", "still-here"),
  );

  await expect(start({ encryptionKey: text(key) })).rejects.toThrow(
    `If it is gone for ever, mainstay forget-key ${lostId} says what goes with it.`,
  );
  const stored = () =>
    database.db.rows(
      sql`select sealed from connections union all select sealed from canaries union all select config from identity_credentials where type = 'totp'`,
    );
  const before = await stored();
  const list = [
    `Encrypted with key ${lostId}, and not to be read without it:`,
    "  canary default/shop: http[name=front].password",
    "  connection default/orders: password, properties.bearer",
    "  authenticator app of admin@local: is removed",
  ];
  const told = await forget(lostId);
  expect([told.code, told.stderr]).toEqual([1, ""]);
  expect(told.stdout.split("\n").slice(0, -1).toSorted()).toEqual(list.toSorted());
  expect(told.stdout).toMatch(new RegExp(`Nothing was changed.*forget-key ${lostId} --yes$`));
  expect(await stored()).toEqual(before);
  expect(await forget(keyId, "--yes")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("nothing is lost"),
  });
  expect(await forget("00000000", "--yes")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Nothing is encrypted with a key 00000000\. Keys in use: /),
  });
  expect(await stored()).toEqual(before);

  const done = await forget(lostId, "--yes");
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("are given up")]);
  const left = await database.db.rows(
    sql`select from identity_credentials where identity_id = ${personId} and type = 'totp'`,
  );
  expect(left).toHaveLength(0);

  const app = await start({ encryptionKey: text(key) });
  await asAdmin(app, async (admin) => {
    const passwordOf = async (id: string) =>
      (await app.ctx.service(connectionFinder).findFresh(id, { namespace: "default" })).password;
    expect(await passwordOf(kept)).toBe("still-here");
    const why = `The password of the connection default/orders cannot be used: It was encrypted with key ${lostId}, which was given up as lost: write the value again.`;
    const tried = await admin.post(`/api/connection/test/${orders}`);
    expect([tried.status, tried.json.error]).toEqual([400, why]);
    expect((await admin.get(`/api/connection/${orders}/uses`)).json).toMatchObject({
      uses: [{ name: "shop", place: "http[back].connection" }],
      lost: ["password", "properties.bearer"],
    });
    expect((await admin.get("/api/documents/canary/default/shop")).json.lost).toEqual([
      "http[name=front].password",
    ]);
    const checks = await database.db.rows<{ id: string; name: string }>(
      sql`select id, name from checks order by name`,
    );
    const said = await Promise.all(
      checks.map(async ({ id }) => (await admin.post(`/api/canary/run/check/${id}`)).text),
    );
    expect(said).toEqual([
      expect.stringContaining(`connection: ${why}`),
      expect.stringContaining(
        `The stored value of http[name=front].password cannot be used: It was encrypted with key ${lostId}`,
      ),
    ]);
    const facts = async () =>
      ((await admin.get("/api/security")).json.facts as { id: string; state: string }[]).find(
        ({ id }) => id === "secrets.lost",
      )?.state;
    expect(await facts()).toMatch(/^connection default\/orders, canary default\/shop lack /);

    // Other changes of the row do not make it whole, nor are they held up; what is written again does.
    const change = (row: object) => admin.patch(`/api/db/connections?id=eq.${orders}`, row);
    expect((await change({ labels: { tier: "1" } })).status).toBe(204);
    await expect(passwordOf(orders)).rejects.toThrow("given up as lost");
    const again = { password: "written-again", properties: { bearer: "new" } };
    expect((await change(again)).status).toBe(204);
    expect(await passwordOf(orders)).toBe("written-again");
    expect(await facts()).toMatch(/^canary default\/shop lack /);
  });
});
