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

describe("typed above the list of items", () => {
  beforeAll(async () => {
    await app.db.run(sql`
      insert into config_items (config_class, type, name, description, tags, labels, health, status, cost_total_30d, created_at,
                                updated_at, external_id, properties, config, deleted_at)
      values ('Pod', 'Typed::Pod', 'api-1', 'serves orders', '{"namespace":"shop","cluster":"prod"}', '{"team":"red"}', 'healthy',
              'Running', 120, now() - interval '3 days', now() - interval '1 hour', '{"Pod/api-1"}', null, '{"spec":{"replicas":3}}', null),
             ('Pod', 'Typed::Pod', 'api-2', null, '{"namespace":"shop","cluster":"Prod"}', '{}', 'unhealthy', 'CrashLoopBackOff',
              5, now() - interval '20 days', now() - interval '9 days', null, null, null, null),
             ('Node', 'Typed::Node', 'rack 7', 'an api of metal', '{"cluster":"test"}', null, null, null, null, now(), now(), null,
              '[{"name":"Owner","text":"Ada"}]', '{"metadata":{"annotations":{}}}', null),
             ('Node', 'Typed::Volume', 'disk', null, null, null, 'warning', null, null, now(), now(), null, null,
              '{"metadata":{"annotations":{"example.com/maintainer":"Grace"}}}', null),
             ('Node', 'Typed::Node', 'scrapped', null, '{"namespace":"Yard"}', '{"team":"Blue"}', 'healthy', null, null, now(), now(), null, null, null, now())`);
    await app.db.run(sql`
      insert into config_changes (config_id, change_type, severity, created_at)
      select id, 'diff', 'info', now() - n * interval '2 hours'
        from config_items, generate_series(1, 3) n where name = 'api-2'
       union all select id, 'diff', 'info', now() - interval '5 days' from config_items where name = 'rack 7'`);
    await app.db.run(sql`
      insert into config_analysis (config_id, analyzer, analysis_type, severity, status, first_observed, last_observed)
      select id, 'a', t, s, w, now(), now() from config_items,
             (values ('api-2', 'security', 'critical', 'open'), ('api-2', 'cost', 'low', 'open'), ('disk', 'cost', 'high', 'resolved'))
               v (n, t, s, w) where name = n`);
  });

  const address = (text: string, rest = "") =>
    `/api/db/configs?select=name&type=like.Typed::*&order=name.asc&search=${encodeURIComponent(text)}${rest}`;
  const typed = async (text: string, rest = "&deleted_at=is.null") => {
    const { status, json } = await app.admin.get(address(text, rest));
    expect([text, status, json]).toEqual([text, 200, expect.any(Array)]);
    return (json as { name: string }[]).map(({ name }) => name);
  };
  const all = ["api-1", "api-2", "disk", "rack 7"];

  test.each<[string, string[]]>([
    ["  ", all],
    // Words are anywhere in the name, type, description or namespace.
    ["api", ["api-1", "api-2", "rack 7"]],
    ["api shop", ["api-1", "api-2"]],
    ['"api of"', ["rack 7"]],
    ["API*", ["api-1", "api-2"]],
    ["api -orders", ["api-2", "rack 7"]],
    ["text=METAL | text=volume", ["disk", "rack 7"]],
    ["type=Typed::Pod health!=healthy tag:cluster=prod name*=api", ["api-2"]],
    ["type=pod", ["api-1", "api-2"]],
    ["type=pod,node -type=node", ["api-1", "api-2"]],
    ["type!=pod", ["disk", "rack 7"]],
    ["tag:cluster=prod", ["api-1", "api-2"]],
    ["tag:cluster!=prod", ["disk", "rack 7"]],
    ["tag:cluster=pr*", ["api-1", "api-2"]],
    ["-tag:cluster", ["disk"]],
    ["label:team=RED", ["api-1"]],
    ["namespace=shop status=running", ["api-1"]],
    ["status=*back*", ["api-2"]],
    ["health=unknown,warning", ["disk", "rack 7"]],
    ["external=pod/api-1", ["api-1"]],
    ["external=*/API-1", ["api-1"]],
    ["external!=pod/api-1", ["api-2", "disk", "rack 7"]],
    ["agent=self", all],
    ["agent=berlin", []],
    ["agent!=berlin", all],
    ["class=node", ["disk", "rack 7"]],
    ["class=n*", ["disk", "rack 7"]],
    ["source=odd", []],
    ["source!=odd", all],
    ["cost>=120", ["api-1"]],
    ["cost<120", ["api-2"]],
    ["cost=5,120", ["api-1", "api-2"]],
    ["created<now-2d", ["api-1", "api-2"]],
    ["updated>now-2h created<now-1d", ["api-1"]],
    ["changed>now-3h", ["api-2"]],
    ["changed<now-1d", ["rack 7"]],
    ["changed>=now-6d changed<=now-4d", ["rack 7"]],
    ["changes>1", ["api-2"]],
    ["changes>=0", all],
    ["changes=0", ["api-1", "disk"]],
    ["changes!=0", ["api-2", "rack 7"]],
    ["changes<2", ["api-1", "disk", "rack 7"]],
    ["insights>1", ["api-2"]],
    ["insights=0,2", all],
    ["insight=security severity=critical", ["api-2"]],
    ["severity=high", []],
    ["has:changes", ["api-2", "rack 7"]],
    ["-has:changes has:cost", ["api-1"]],
    ["has:insights", ["api-2"]],
    ["has:owner", ["api-1", "disk", "rack 7"]],
    ["is:unowned", ["api-2"]],
    ["owner=ada,red", ["api-1", "rack 7"]],
    ["owner*=grac", ["disk"]],
    ["config.spec.replicas>2", ["api-1"]],
    ["property:owner=ada", ["rack 7"]],
    ["parent=00000000-0000-0000-0000-000000000001", []],
    ["name=disk; name=api-1", ["api-1", "disk"]],
  ])("%j finds %j", async (text, names) => {
    expect(await typed(text)).toEqual(names);
  });

  test("what is deleted is found however its tags and labels are written, and when it is back", async () => {
    const searches = ["label:team=blue", "namespace=YARD", "tag:namespace=yard label:team=BLUE"];
    const found = async (rest: string) => {
      const each = [];
      for (const text of searches) each.push((await typed(text, rest)).join());
      return each.join("; ");
    };
    const all = searches.map(() => "scrapped").join("; ");
    expect(await found("")).toBe(all);
    const set = (deleted: Date | null) =>
      app.db.run(sql`update config_items set deleted_at = ${deleted} where name = 'scrapped'`);
    await set(null);
    expect(await found("&deleted_at=is.null")).toBe(all);
    await set(new Date());
    expect(await found("")).toBe(all);
    await app.db.run(sql`delete from config_facets where items <= 0 and deleted <= 0`);
    expect(await found("")).toBe(all);
  });

  test("properties are found whether few have them or many, however long they are", async () => {
    const long = "Ä".repeat(300);
    await app.db.run(sql`
      update config_items set properties = ${JSON.stringify([
        { name: "Owner", text: "Ada" },
        { name: "Note", text: `${long}1` },
        { name: "CPU", value: 250 },
        "odd",
        { text: "nameless" },
      ])}::jsonb
       where name = 'rack 7'`);
    const cases: [string, string[]][] = [
      ["property:owner", ["rack 7"]],
      ["-property:owner", ["api-1", "api-2", "disk"]],
      ["property:owner=ada", ["rack 7"]],
      ["property:owner=*d*", ["rack 7"]],
      ["property:owner=grace", []],
      ["property:owner!=ada", ["api-1", "api-2", "disk"]],
      [`property:note=${long.toLowerCase()}1`, ["rack 7"]],
      [`property:note=${long}2`, []],
      ["property:cpu=250", ["rack 7"]],
      ["property:cpu>249", ["rack 7"]],
      ["tpye=pod", []],
      ["tpye!=pod", all],
    ];
    const found = () =>
      Promise.all(cases.map(async ([text]) => [text, await typed(text)] as [string, string[]]));
    expect(await found()).toEqual(cases);
    await app.db.run(sql`
      insert into config_items (config_class, type, name, properties)
      select 'Many', 'Many::Holder', n::text, '[{"name":"owner","text":"Ada"},{"name":"note"},{"name":"cpu","value":1}]'
        from generate_series(1, 1001) n`);
    expect(await found()).toEqual(cases);
    await app.db.run(sql`delete from config_items where config_class = 'Many'`);
  });

  test("by how many insights there are, few and more than are named one by one", async () => {
    const cases: [string, string[]][] = [
      ["insights>1", ["api-2"]],
      ["insights>0", ["api-2"]],
      ["insights=2", ["api-2"]],
      ["-insights>1", ["api-1", "disk", "rack 7"]],
      ["insights<1", ["api-1", "disk", "rack 7"]],
    ];
    const found = () =>
      Promise.all(cases.map(async ([text]) => [text, await typed(text)] as [string, string[]]));
    expect(await found()).toEqual(cases);
    await app.db.run(sql`
      with many as (
        insert into config_items (config_class, type, name) select 'Many', 'Many::Analyzed', n::text from generate_series(1, 1001) n
        returning id)
      insert into config_analysis (config_id, analyzer, analysis_type, severity, status, first_observed, last_observed)
      select id, 'many', 'cost', 'low', 'open', now(), now() from many, generate_series(1, 2)`);
    expect(await found()).toEqual(cases);
    const reply = await app.admin.get(
      `/api/db/configs?select=name&limit=1&search=${encodeURIComponent("insights=2 class=many")}`,
      { prefer: "count=exact" },
    );
    expect(reply.headers.get("content-range")).toBe("0-0/1001");
    await app.db.run(sql`delete from config_analysis where analyzer = 'many'`);
    await app.db.run(sql`delete from config_items where config_class = 'Many'`);
  });

  test("it is a filter like the others, and what it finds is counted", async () => {
    expect(await typed("is:deleted", "")).toEqual(["scrapped"]);
    expect(await typed("is:deleted")).toEqual([]);
    expect(await typed("api", "&health=eq.healthy")).toEqual(["api-1"]);
    const reply = await app.admin.get(address("api", "&limit=1"), { prefer: "count=exact" });
    expect(reply.headers.get("content-range")).toBe("0-0/3");
  });

  test.each<[string, number, RegExp]>([
    ["name=", 6, /expected a value after "name="/],
    ["type=pod (a", 10, /never closed/],
    ["cost>much", 6, /needs a number/],
    ["has:wings", 5, /has: takes one of changes, insights, owner, cost/],
    ["updated>yesterday", 9, /is no date/],
    ["name>a", 1, /= and != only/],
    ["api limit=5", 5, /leave @order, limit and offset out/],
    [`name=*${"a".repeat(2_100)}* | type=*${"b".repeat(1_900)}* | a*b*c*d*e`, 1, /more than 4096/],
  ])("%j is refused at character %i", async (text, column, message) => {
    const { status, json } = await app.admin.get(address(text));
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: expect.stringMatching(message) as string });
    if (text.length < 100) expect(json).toMatchObject({ issues: [{ path: "search", column }] });
  });

  test("of other tables search is a column, and who may not read items finds none by it", async () => {
    expect((await app.admin.get("/api/db/config_types?search=pod")).status).toBe(400);
    expect((await app.nobody.get(address("config.spec.replicas>2"))).status).toBe(401);
  });

  test("the other boxes mean the same by a word", async () => {
    const found = async (words?: "name" | "text") =>
      (
        (await search({ words, configs: [{ search: "orders" }] })).json as {
          configs: { name: string }[];
        }
      ).configs.map(({ name }) => name);
    expect([await found(), await found("text")]).toEqual([[], ["api-1"]]);
  });
});
