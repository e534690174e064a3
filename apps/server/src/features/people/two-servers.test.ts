import { createLog } from "#platform/log.ts";
import { openDatabase } from "#platform/db/database.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createApp } from "../../app.ts";
import { client, startTestApp, type TestApp, testConfig } from "../../testing/app.ts";
import { createPerson } from "../../testing/people.ts";

/** What one server changes holds on the other well before a session that it believes would be looked up again. */

let app: TestApp;
let other: Awaited<ReturnType<typeof createApp>>;
let close: () => Promise<void>;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  const db = openDatabase({
    // The pool keeps its password where a copy does not see it.
    connection: { ...app.db.pool.options, password: app.db.pool.options.password },
    applicationName: "other",
    onError: (error) => process.stderr.write(`other server: ${error.message}\n`),
  });
  other = await createApp({
    config: testConfig({ role: "api" }),
    db,
    owner: app.owner,
    log: createLog("error"),
    consoleDirectory: "/tmp",
  });
  await other.listen();
  close = async () => {
    await other.stop();
    await db.close();
  };
});
afterAll(async () => {
  await close();
  await app.stop();
});

const soon = { timeout: 2_000, interval: 20 };

test.each([
  ["demoting", (id: string) => app.admin.post(`/api/rbac/${id}/update_role`, { roles: [] }), 403],
  [
    "deactivating",
    (id: string) => app.admin.post(`/api/auth/${id}/update_state`, { state: "inactive" }),
    401,
  ],
  ["deleting", (id: string) => app.admin.delete(`/api/people/${id}`), 401],
] as const)("%s counts on the other server, too", async (_, change, status) => {
  const person = await createPerson(app, "editor");
  const there = client(other.address, { "x-session-token": person.token });
  const ask = async () =>
    (await there.post("/api/db/properties", { name: crypto.randomUUID(), value: "1" })).status;
  expect(await ask()).toBe(201);
  await change(person.id);
  await vi.waitFor(async () => expect(await ask()).toBe(status), soon);
});
