import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson } from "../../testing/people.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

const returned = { prefer: "return=representation" };
async function make(table: string, row: object): Promise<string> {
  const { status, json, text } = await app.admin.post(`/api/db/${table}`, row, returned);
  expect([status, text]).toEqual([201, expect.any(String)]);
  return (json as { id: string }[])[0]!.id;
}
const connection = (name: string, more: object = {}) =>
  make("connections", {
    type: "postgres",
    name,
    namespace: "shop",
    url: "postgres://db.example/x",
    source: "UI",
    ...more,
  });
const canary = (name: string, namespace: string, checks: object) =>
  make("canaries", { name, namespace, spec: { schedule: "@every 1h", ...checks } });
const postgres = (...connections: string[]) => ({
  postgres: connections.map((one, index) => ({ name: `check-${index}`, connection: one })),
});

test("a connection is used wherever it is named, in each of the forms of a reference", async () => {
  const id = await connection("orders");
  await connection("other");
  await canary("whole", "web", postgres("connection://shop/orders", "connection://shop/other"));
  await canary("short", "shop", postgres("connection://orders"));
  await canary("elsewhere", "web", postgres("connection://orders"));
  await canary("typed", "web", postgres("connection://postgres/shop/orders"));
  await canary("wrongly-typed", "web", postgres("connection://mysql/shop/ordersx"));
  await canary("by-id", "web", postgres(id));
  await canary("only-says-it", "web", {
    postgres: [{ name: "a", url: "postgres://db/x", description: "like connection://shop/orders" }],
  });
  const gone = await canary("gone", "web", postgres("connection://shop/orders"));
  await app.admin.patch(`/api/db/canaries?id=eq.${gone}`, { deleted_at: "now()" });
  await connection("backups", {
    type: "restic",
    url: "s3:https://s3.example/b",
    properties: { awsConnectionName: "connection://orders" },
  });
  const { status, json } = await app.admin.get(`/api/connection/${id}/uses`);
  expect(status).toBe(200);
  const { uses } = json as { uses: Record<string, string>[] };
  expect(
    uses.map(({ kind, namespace, name, place }) => `${kind} ${namespace}/${name} ${place}`),
  ).toEqual([
    "connection shop/backups properties.awsConnectionName",
    "canary shop/short postgres[check-0].connection",
    "canary web/by-id postgres[check-0].connection",
    "canary web/typed postgres[check-0].connection",
    "canary web/whole postgres[check-0].connection",
  ]);
});

test("what is not there, and who may not", async () => {
  for (const id of ["00000000-0000-0000-0000-000000000001", "nothing"])
    expect((await app.admin.get(`/api/connection/${id}/uses`)).status).toBe(404);
  const id = await connection("unused");
  expect((await app.admin.get(`/api/connection/${id}/uses`)).json).toEqual({ uses: [], lost: [] });
  const editor = await createPerson(app, "editor");
  expect((await editor.get(`/api/connection/${id}/uses`)).status).toBe(200);
  const viewer = await createPerson(app, "viewer");
  expect((await viewer.get(`/api/connection/${id}/uses`)).status).toBe(403);
});

test("one that is used is deleted by a date like any other; what used it says which it was, and what to do", async () => {
  const id = await connection("leaving");
  const canaryId = await canary("left-behind", "shop", postgres("connection://leaving", id));
  const { json: checks } = await app.admin.get(`/api/db/checks?canary_id=eq.${canaryId}&select=id`);
  const { status } = await app.admin.patch(`/api/db/connections?id=eq.${id}`, {
    deleted_at: "now()",
  });
  expect(status).toBe(204);
  for (const check of checks as { id: string }[]) {
    const { text } = await app.admin.post(`/api/canary/run/check/${check.id}`);
    expect(text).toMatch(
      /connection: The connection shop\/leaving was deleted at \d{4}-[-\dT:.]+Z: name another, or make it again( and name that)?\./,
    );
  }
  expect(checks).toHaveLength(2);
});
