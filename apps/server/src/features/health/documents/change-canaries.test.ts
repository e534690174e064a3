import type { CanaryChanged } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { untilBlocked } from "../../../testing/blocked.ts";
import { createPerson, type TestPerson } from "../../../testing/people.ts";
import { checkDocument } from "./check-document.ts";

let app: TestApp;
let editor: TestPerson;
beforeAll(async () => {
  app = await startTestApp({ role: "api", exec: "on" });
  editor = await createPerson(app, "editor");
});
afterAll(() => app.stop());

const tcp = { tcp: [{ name: "port", endpoint: "localhost:1" }] };
let made = 0;
async function makeCanary(parts: object = {}): Promise<string> {
  const spec = { schedule: "@every 1h", ...tcp };
  const reply = await app.admin.post(
    "/api/db/canaries",
    { name: `many-${++made}`, namespace: "many", spec, ...parts },
    { prefer: "return=representation" },
  );
  expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
  return reply.json[0].id as string;
}

async function change(changes: unknown, who: TestPerson = editor): Promise<CanaryChanged[]> {
  const reply = await who.post("/api/canary/changes", { changes });
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)]);
  return (reply.json as { results: CanaryChanged[] }).results;
}

const isNow = async (id: string) =>
  (await app.db.first<{
    spec: Record<string, unknown>;
    labels: Record<string, string>;
    annotations: Record<string, string>;
    is_deleted: boolean;
    schedule: string | null;
    checks: number;
  }>(sql`
    select spec, labels, annotations, deleted_at is not null as is_deleted,
           (select schedule from schedules s where s.kind = 'canary' and s.key = c.id::text) as schedule,
           (select count(*)::int from checks k where k.canary_id = c.id and k.deleted_at is null) as checks
      from canaries c where id = ${id}`))!;

const isPausedInSummary = async (id: string) => {
  const { json } = await editor.get("/api/canary/api/summary");
  const { checks_summary: checks } = json as {
    checks_summary: { canary_id: string; paused?: boolean }[];
  };
  return checks.find((check) => check.canary_id === id)?.paused;
};

test("a canary is paused, says so, and what was done takes itself back", async () => {
  const id = await makeCanary();
  const [paused] = await change([{ canary: id, paused: true }]);
  expect(paused).toEqual({
    canary: id,
    outcome: "changed",
    undo: {
      canary: id,
      marks: { paused: null, suspend: null, replicas: null },
      from: { paused: "true", suspend: null, replicas: null },
    },
  });
  expect(await isNow(id)).toMatchObject({ annotations: { paused: "true" }, schedule: "@never" });
  expect(await isPausedInSummary(id)).toBe(true);
  expect(await change([{ canary: id, paused: true }])).toEqual([
    { canary: id, outcome: "unchanged" },
  ]);
  await change([paused!.undo]);
  expect(await isNow(id)).toMatchObject({ annotations: {}, schedule: "@every 1h" });
  expect(await isPausedInSummary(id)).toBeUndefined();
});

test.each([
  ["replicas: 0", { spec: { schedule: "@every 1h", replicas: 0, ...tcp } }],
  ["the annotation of the family", { annotations: { suspend: "true", note: "x" } }],
])("what is paused by %s is resumed", async (_, parts) => {
  const id = await makeCanary(parts);
  expect((await isNow(id)).schedule).toBe("@never");
  expect(await isPausedInSummary(id)).toBe(true);
  const before = await isNow(id);
  const [resumed] = await change([{ canary: id, paused: false }]);
  expect(resumed).toMatchObject({ outcome: "changed" });
  const now = await isNow(id);
  expect(now).toMatchObject({ schedule: "@every 1h", spec: tcp });
  expect([now.spec.replicas, now.annotations.suspend]).toEqual([undefined, undefined]);
  await change([resumed!.undo]);
  const { annotations, spec } = before;
  expect(await isNow(id)).toMatchObject({
    schedule: "@never",
    annotations: annotations ?? {},
    spec,
  });
});

test("a pause that somebody else has added since is not taken back", async () => {
  for (const more of [{ annotations: { paused: "true", suspend: "true" } }, { replicas: 0 }]) {
    const id = await makeCanary();
    const [paused] = await change([{ canary: id, paused: true }]);
    const { annotations, spec } = await isNow(id);
    const parts =
      "replicas" in more ? { annotations, spec: { ...spec, ...more } } : { ...more, spec };
    const since = await app.admin.patch(`/api/db/canaries?id=eq.${id}`, parts);
    expect([since.status, since.text]).toEqual([204, ""]);
    const before = await isNow(id);
    expect(await change([paused!.undo])).toEqual([
      { canary: id, outcome: "refused", reason: "Somebody has paused or resumed it since." },
    ]);
    expect(await isNow(id)).toEqual(before);
  }
});

test("labels are set and taken away beside others, and what was done takes itself back", async () => {
  const id = await makeCanary({ labels: { team: "web", tier: "1" } });
  const [labelled] = await change([
    { canary: id, labels: { team: "db", fresh: "yes", tier: null } },
  ]);
  expect((await isNow(id)).labels).toEqual({ team: "db", fresh: "yes" });
  await change([labelled!.undo]);
  expect((await isNow(id)).labels).toEqual({ team: "web", tier: "1" });
  expect(await change([{ canary: id, labels: { team: "web", none: null } }])).toEqual([
    { canary: id, outcome: "unchanged" },
  ]);
});

test("what somebody else has changed since is not taken back with it", async () => {
  const id = await makeCanary({ labels: { team: "web" } });
  const [labelled] = await change([{ canary: id, labels: { team: "db", fresh: "yes" } }]);
  await change([{ canary: id, labels: { team: "ops" } }]);
  expect(await change([labelled!.undo])).toEqual([
    { canary: id, outcome: "refused", reason: "Somebody has changed the label team since." },
  ]);
  expect((await isNow(id)).labels).toEqual({ team: "ops", fresh: "yes" });
});

test("what an earlier version stored is changed and runs, though no document may say it any more", async () => {
  const id = await makeCanary();
  const spec = {
    schedule: "@every 1h",
    severity: "urgent",
    http: [
      {
        name: "a",
        url: "http://localhost:1",
        password: { valueFrom: { secretKeyRef: { key: "k" } } },
      },
    ],
  };
  await app.db.run(sql`update canaries set spec = ${JSON.stringify(spec)}::jsonb where id = ${id}`);
  const paused = await change([{ canary: id, paused: true }]);
  expect(paused).toMatchObject([{ outcome: "changed" }]);
  await change([paused[0]!.undo]);
  expect(await isNow(id)).toMatchObject({ schedule: "@every 1h", checks: 1 });
  const parts = { name: "a", namespace: "b", labels: null, annotations: null, spec };
  expect(checkDocument(parts)).toMatchObject({ checks: [{ name: "a", severity: "urgent" }] });
  const again = await app.admin.post("/api/db/canaries", {
    name: "again",
    namespace: "many",
    spec,
  });
  expect([again.status, again.text]).toEqual([400, expect.stringContaining("is no severity")]);
});

test("each is done or refused by itself, with the reason", async () => {
  const [own, file, gone] = [
    await makeCanary(),
    await makeCanary({ source: "git/checks.yaml" }),
    await makeCanary(),
  ];
  const code = await makeCanary({
    spec: { schedule: "@every 1h", exec: [{ name: "x", script: "id" }] },
  });
  await change([{ canary: gone, deleted: true }]);
  expect(await isNow(gone)).toMatchObject({ is_deleted: true, checks: 0, schedule: null });
  const ids = [own, file, gone, code];
  const results = await change(ids.map((canary) => ({ canary, paused: true })));
  expect(results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ["changed", undefined],
    ["refused", expect.stringContaining("is kept in git/checks.yaml: change it there")],
    ["refused", "It is not there any more."],
    // Whoever changes what runs programs must be allowed to.
    ["refused", expect.stringMatching(/administrator|code|programs/i)],
  ]);
  expect((await change([{ canary: file, deleted: true }]))[0]?.outcome).toBe("refused");
  expect((await isNow(file)).is_deleted).toBe(false);
});

test("what people wrote around it stays", async () => {
  const text = `# why this is watched
apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata: {name: commented, namespace: many}
spec:
  tcp: # the port
    - {name: port, endpoint: "localhost:1"}
`;
  const saved = await app.admin.post("/api/documents?source=UI", text, {
    "content-type": "application/yaml",
  });
  expect([saved.status, saved.text]).toEqual([200, expect.any(String)]);
  const { documents } = saved.json as { documents: { id: string }[] };
  await change([{ canary: documents[0]!.id, labels: { team: "x" } }]);
  const read = await app.admin.get("/api/documents/canary/many/commented?output=yaml");
  for (const kept of ["# why this is watched", "tcp: # the port", '"team":"x"'])
    expect(read.text).toContain(kept);
});

const textOf = async (id: string) =>
  (await app.admin.get(`/api/documents/canary/${id}?output=yaml`)).text;
const checkIds = async (canary: string) => {
  const rows = await app.db.rows<{ id: string; name: string }>(
    sql`select id, name from checks where canary_id = ${canary} and deleted_at is null order by name`,
  );
  return Object.fromEntries(rows.map(({ id, name }) => [name, id]));
};
async function makeThree(name: string): Promise<string> {
  const saved = await app.admin.post(
    "/api/documents?source=UI",
    `# three of them
apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata: {name: ${name}, namespace: many}
spec:
  schedule: "@every 1h"
  tcp:
    # about the first
    - {name: first, endpoint: "localhost:1"}
    # about the second
    - name: second   # it stays
      endpoint: localhost:2
  http:
    - name: third
      url: http://localhost:3
      username: {value: u}
      password: {value: p4ssw0rd}
`,
    { "content-type": "application/yaml" },
  );
  expect([saved.status, saved.text]).toEqual([200, expect.any(String)]);
  return (saved.json as { documents: { id: string }[] }).documents[0]!.id;
}
const sealedOf = (id: string) =>
  app.db.first<{ sealed: Record<string, unknown> }>(
    sql`select sealed from canaries where id = ${id}`,
  );

test("checks are taken out of a document, what is written around them stays, and all of it comes back", async () => {
  const id = await makeThree("taken-out");
  const before = { text: await textOf(id), ids: await checkIds(id), sealed: await sealedOf(id) };
  expect(Object.keys(before.sealed!.sealed).length).toBeGreaterThan(0);
  const { first, third } = before.ids;
  const [removed] = await change([{ canary: id, removed: [first, third] }]);
  expect(removed).toMatchObject({ canary: id, outcome: "changed" });
  expect(Object.keys(await checkIds(id))).toEqual(["second"]);
  const left = await textOf(id);
  for (const kept of ["# three of them", "# about the second", "# it stays"])
    expect(left).toContain(kept);
  for (const gone of ["name: first", "third", "http:"]) expect(left).not.toContain(gone);
  expect(JSON.stringify(removed)).not.toContain("p4ssw0rd");
  expect(await change([{ canary: id, removed: [first] }])).toEqual([
    { canary: id, outcome: "unchanged" },
  ]);
  expect(await change([removed!.undo])).toEqual([{ canary: id, outcome: "changed" }]);
  expect({ text: await textOf(id), ids: await checkIds(id), sealed: await sealedOf(id) }).toEqual(
    before,
  );
});

test("what somebody has changed since is not taken back", async () => {
  const id = await makeThree("changed-since");
  const { first } = await checkIds(id);
  const [removed] = await change([{ canary: id, removed: [first] }]);
  await change([{ canary: id, labels: { team: "x" } }]);
  expect(await change([removed!.undo])).toEqual([
    { canary: id, outcome: "refused", reason: "Somebody has changed it since." },
  ]);
  const other = await makeThree("of-another");
  expect(await change([{ ...removed!.undo!, canary: other }])).toEqual([
    { canary: other, outcome: "refused", reason: "This is not the text of that canary." },
  ]);
});

test("what somebody is changing at this moment is not taken back either", async () => {
  const id = await makeThree("changed-now");
  const { first } = await checkIds(id);
  const [removed] = await change([{ canary: id, removed: [first] }]);
  const asked = await app.db.transaction(async (tx) => {
    await tx.run(sql`update canaries set labels = '{"team":"now"}' where id = ${id}`);
    const reply = change([removed!.undo]);
    await untilBlocked(tx, 1);
    return { reply };
  });
  expect(await asked.reply).toEqual([
    { canary: id, outcome: "refused", reason: "Somebody has changed it since." },
  ]);
  expect((await isNow(id)).labels).toEqual({ team: "now" });
});

test("a canary that was deleted comes back as it was, with its checks and secrets", async () => {
  const id = await makeThree("deleted-and-back");
  const before = { text: await textOf(id), ids: await checkIds(id), sealed: await sealedOf(id) };
  const [deleted] = await change([{ canary: id, deleted: true }]);
  expect(deleted).toMatchObject({ outcome: "deleted" });
  expect(await isNow(id)).toMatchObject({ is_deleted: true, checks: 0 });
  expect(await change([deleted!.undo])).toEqual([{ canary: id, outcome: "changed" }]);
  expect({ text: await textOf(id), ids: await checkIds(id), sealed: await sealedOf(id) }).toEqual(
    before,
  );
  expect(await isNow(id)).toMatchObject({ is_deleted: false, schedule: "@every 1h" });
});

test("a check that another one made is not taken out by itself", async () => {
  const id = await makeThree("with-made");
  const { second } = await checkIds(id);
  const made = await app.db.first<{ id: string }>(sql`
    insert into checks (canary_id, type, name, parent_id, transformed)
    values (${id}, 'tcp', 'made', ${second}, true) returning id`);
  expect(await change([{ canary: id, removed: [made!.id] }])).toEqual([
    {
      canary: id,
      outcome: "refused",
      reason: '"made" is made by another check: change that one.',
    },
  ]);
});

test("a stored secret stays what it is", async () => {
  const spec = {
    schedule: "@every 1h",
    http: [
      { name: "a", url: "http://localhost:1", username: { value: "u" }, password: { value: "p" } },
    ],
  };
  const id = await makeCanary({ spec });
  const sealed = () => app.db.first(sql`select sealed from canaries where id = ${id}`);
  const before = await sealed();
  await change([{ canary: id, labels: { team: "x" } }]);
  expect(await sealed()).toEqual(before);
});

test.each([
  ["nothing", []],
  ["no id", [{ canary: "x", paused: true }]],
  [
    "two things at once",
    [{ canary: "00000000-0000-4000-8000-000000000001", paused: true, deleted: true }],
  ],
  [
    "a label that is no text",
    [{ canary: "00000000-0000-4000-8000-000000000001", labels: { a: 1 } }],
  ],
  [
    "too many",
    Array.from({ length: 51 }, () => ({
      canary: "00000000-0000-4000-8000-000000000001",
      paused: true,
    })),
  ],
])("%s is refused", async (_, changes) => {
  expect((await editor.post("/api/canary/changes", { changes })).status).toBe(400);
});

test("a viewer changes nothing", async () => {
  const id = await makeCanary();
  const viewer = await createPerson(app, "viewer");
  const reply = await viewer.post("/api/canary/changes", {
    changes: [{ canary: id, deleted: true }],
  });
  expect([reply.status, (await isNow(id)).is_deleted]).toEqual([403, false]);
});
