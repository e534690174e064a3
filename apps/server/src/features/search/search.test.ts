import { afterAll, beforeAll, describe, expect, test } from "vitest";
import sql from "sql-template-tag";
import { roles } from "@mainstay/contract";
import { systemClock } from "#platform/clock.ts";
import { type Actor, createCtx } from "#platform/context.ts";
import { createLog } from "#platform/log.ts";
import { startTestApp, testConfig, type TestApp } from "../../testing/app.ts";
import { createPerson } from "../../testing/people.ts";
import { selectResources } from "./compile-selector.ts";
import { kindNamed, kinds } from "./testing/selectable.ts";
import { searchResources } from "./search-resources.ts";

const canary = "0190a0b4-0000-7000-8000-000000000001";
const unmeasured = () => undefined;
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.db.run(
    sql`insert into canaries (id, name, namespace, spec) values (${canary}, 'shop', 'web', '{}')`,
  );
  await app.db.run(sql`
    insert into checks (canary_id, type, name, namespace, icon, labels)
    select ${canary}, 'http', 'page ' || lpad(number::text, 3, '0'), 'web', 'globe', '{"team":"red"}'
      from generate_series(1, 150) number`);
  await app.db.run(sql`
    insert into config_items (config_class, type, name, tags) values ('Pod', 'Kubernetes::Pod', 'web-1', '{"namespace":"shop"}')`);
});
afterAll(() => app.stop());

const search = (body: unknown) => app.admin.post("/api/resources/search", body);

test("each kind that is asked for is answered, with what a picker shows", async () => {
  const { status, json } = await search({
    checks: [{ name: "page 007" }],
    configs: [{ search: "web" }],
  });
  expect(status).toBe(200);
  expect(json).toEqual({
    checks: [
      {
        id: expect.any(String) as string,
        agent: "00000000-0000-0000-0000-000000000000",
        icon: "globe",
        name: "page 007",
        namespace: "web",
        type: "http",
        tags: {},
        labels: { team: "red" },
        status: "unknown",
      },
    ],
    configs: [
      expect.objectContaining({
        name: "web-1",
        namespace: "shop",
        type: "Kubernetes::Pod",
        icon: "",
        tags: { namespace: "shop" },
        labels: {},
      }),
    ],
  });
});

test("health checks and teams are found as their documents and lists name them, unless they are deleted", async () => {
  const made = await app.admin.post("/api/db/teams", [
    { name: "web shop", icon: "store", deleted_at: null },
    { name: "web gone", icon: null, deleted_at: "now" },
  ]);
  expect(made.status).toBe(201);
  await app.db.run(sql`
    insert into canaries (name, namespace, labels, spec, deleted_at)
    values ('web-1', 'web', '{"team":"red"}', '{"icon":"globe"}', null), ('web-2', 'web', '{}', '{}', now())`);
  const { status, json } = await search({
    canaries: [{ search: "web", labelSelector: "team=red" }],
    teams: [{ search: "web" }],
  });
  expect([status, json]).toEqual([
    200,
    {
      canaries: [
        expect.objectContaining({
          name: "web-1",
          namespace: "web",
          icon: "globe",
          labels: { team: "red" },
        }),
      ],
      teams: [expect.objectContaining({ name: "web shop", namespace: "", icon: "store" })],
    },
  ]);
  await app.db.run(sql`delete from canaries where name in ('web-1', 'web-2')`);
});

test("a hundred of a kind unless said otherwise", async () => {
  const count = async (body: object) =>
    ((await search({ checks: [{ search: "page" }], ...body })).json as { checks: unknown[] }).checks
      .length;
  expect(await count({})).toBe(100);
  expect(await count({ limit: 0 })).toBe(100);
  expect(await count({ limit: 120 })).toBe(120);
  expect(await count({ checks: [{ search: "page", limit: 3 }] })).toBe(3);
});

test("selectors that select nothing are answered with nothing", async () => {
  expect((await search({ checks: [{}], components: [], configs: null })).json).toEqual({
    checks: [],
    components: [],
  });
  expect((await search({})).json).toEqual({});
});

describe("what makes no sense is refused with its place", () => {
  test.each<[unknown, object]>([
    [
      { checks: [{ search: "a |" }] },
      {
        error: 'checks.0.search, character 4: expected something after "|", but the text ends.',
        issues: [{ path: "checks.0.search", line: 1, column: 4 }],
      },
    ],
    [{ checks: [{ lableSelector: "a=b" }] }, { issues: [{ path: "checks.0" }] }],
    [{ checks: { name: "a" } }, { issues: [{ path: "checks" }] }],
    [{ checks: [{ name: 7 }] }, { issues: [{ path: "checks.0.name" }] }],
    [{ checks: [{ name: "a\0b" }] }, { issues: [{ path: "checks.0.name" }] }],
    [{ checks: [{ search: "\ud800" }] }, { issues: [{ path: "checks.0.search" }] }],
    [{ checks: [{ types: ["a\0"] }] }, { issues: [{ path: "checks.0.types.0" }] }],
    [{ checks: [{ search: "x".repeat(5000) }] }, { issues: [{ path: "checks.0.search" }] }],
    [{ checks: Array.from({ length: 51 }, () => ({})) }, { issues: [{ path: "checks" }] }],
    [{ limit: 5000, checks: [] }, { issues: [{ path: "limit" }] }],
    [
      { checks: [{ name: "a,".repeat(100), types: "a,".repeat(100) }] },
      { issues: [{ path: "checks.0.name" }, { path: "checks.0.types" }] },
    ],
    [
      { configs: Array.from({ length: 50 }, () => ({ name: `a${",a".repeat(99)}` })) },
      { issues: [{ path: "configs.19" }] },
    ],
    [[], {}],
  ])("%#", async (body, expected) => {
    const { status, json } = await search(body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: "invalid", ...expected });
  });
});

describe("who may", () => {
  test("not somebody without a session", async () => {
    const { status, json } = await app.nobody.post("/api/resources/search", { checks: [] });
    expect([status, json.checks]).toEqual([401, undefined]);
  });

  test("each kind has a right of its own, and nothing is read when one is missing", async () => {
    const as = (actor: Actor) =>
      createCtx({
        actor,
        config: testConfig(),
        db: app.db,
        clock: systemClock,
        log: createLog("silent"),
        signal: new AbortController().signal,
        toTx: () => {
          throw new Error("no transactions here");
        },
      });
    const rights = {
      checks: "canaries",
      components: "topologies",
      configs: "config_scrapers",
      scrapers: "config_scrapers",
    } as const;
    for (const [kind, resource] of Object.entries(rights)) {
      const allowed = as({ kind: "anonymous", readOnly: true, resources: [resource] });
      expect(
        await searchResources(
          allowed,
          kinds,
          { selectors: { [kind]: [{ name: "nothing" }] } },
          unmeasured,
        ),
      ).toEqual({
        [kind]: [],
      });
      for (const [other] of Object.entries(rights).filter(([, right]) => right !== resource))
        await expect(
          searchResources(
            allowed,
            kinds,
            { selectors: { [kind]: [{ name: "*" }], [other]: [] } },
            unmeasured,
          ),
        ).rejects.toMatchObject({ code: "forbidden" });
    }
  });

  test("whoever has any role, or none", async () => {
    for (const role of [...roles, undefined]) {
      const person = await createPerson(app, role ?? []);
      const { status, json } = await person.post("/api/resources/search", {
        checks: [{ name: "page 001" }],
        components: [{ name: "*" }],
        configs: [{ name: "web*" }],
      });
      expect([role, status, json.checks.length, json.configs.length]).toEqual([role, 200, 1, 1]);
    }
  });
});

test("the beginning of a name is found by an index among many checks", async () => {
  await app.db.run(sql`
    insert into checks (canary_id, type, name, namespace)
    select ${canary}, 'tcp', 'check ' || number, 'many' from generate_series(1, 20000) number`);
  await app.db.raw("analyze checks");
  const plan = async (text: string) => {
    const statement = selectResources(kindNamed("checks"), [{ search: text, agent: "all" }], {
      columns: sql`checks.id`,
      limit: 20,
      now: new Date(),
    })!;
    const rows = await app.db.rows<{ "QUERY PLAN": string }>(sql`explain ${statement}`);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  };
  expect(await plan("page 00")).toContain("checks_lower_name");
  expect(await plan('"check 1999"')).toContain("checks_lower_name");
});

describe("what cannot be looked for", () => {
  test.each([
    { name: "a\u0000b" },
    { name: "%00" },
    { name: "a%00*" },
    { types: "%00" },
    { search: "name=%00" },
    { search: 'labels.a="%00"' },
    { search: "%00*" },
    { labelSelector: "a=%00" },
    { labelSelector: "%00" },
    { fieldSelector: "name=%00" },
  ])("%j is no fault of ours", async (selector) => {
    for (const kind of ["checks", "configs"])
      expect((await search({ [kind]: [selector] })).status).toBeLessThan(500);
  });

  test("a NUL, which an address may spell as %00, is told", async () => {
    const reply = await search({ checks: [{ name: "%00" }] });
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatch(/NUL/);
  });

  test("a pattern of thousands of letters, which would be compared with every place of a text", async () => {
    const one = { search: `name=*${"a".repeat(3_000)}b*` };
    expect((await search({ checks: [one] })).status).toBe(200);
    const reply = await search({ checks: [one, one] });
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatch(/4096 characters with wildcards/);
  });
});
