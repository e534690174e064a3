import { afterAll, beforeAll, describe, expect, test } from "vitest";
import sql from "sql-template-tag";
import { startTestApp, type TestApp } from "../../testing/app.ts";

const id = (n: number) => `0190a0b4-0000-7000-8000-${String(n).padStart(12, "0")}`;
const [cluster, pod, node, gone, disk] = [1, 2, 3, 4, 5].map(id) as [
  string,
  string,
  string,
  string,
  string,
];
const remote = id(90);
const author = id(91);

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  await app.db.run(sql`insert into agents (id, name) values (${remote}, 'Berlin')`);
  await app.db.run(sql`
    insert into config_scrapers (id, name, namespace, spec, labels)
    values (${id(80)}, 'fleet', 'ops', '{"icon":"k8s"}', '{"team":"red"}'), (${id(81)}, 'fleet', 'dev', '{}', '{}')`);
  await app.db.run(sql`
    insert into config_items (id, name, type, config_class, health, status, labels, tags, agent_id, scraper_id,
                              cost_per_minute, cost_total_1d, cost_total_7d, cost_total_30d, created_at, deleted_at)
    values
      (${cluster}, 'prod', 'Kubernetes::Cluster', 'Cluster', 'healthy', 'Ready', '{"app":"shop"}', '{"cluster":"prod"}', default, ${id(80)}, 0.5, 10, 70, 300, '2026-01-01Z', null),
      (${pod}, 'web', 'Kubernetes::Pod', 'Pod', 'unhealthy', 'CrashLoop', '{"app":"shop"}', '{"cluster":"prod","namespace":"web"}', default, ${id(80)}, null, null, null, null, '2026-01-02Z', null),
      (${node}, 'worker', 'Kubernetes::Pod', 'Pod', null, 'Running', '{"app":"core"}', '{"cluster":"prod","namespace":"sys"}', default, ${id(81)}, null, null, null, null, '2026-01-03Z', null),
      (${gone}, 'old', 'Kubernetes::Pod', 'Pod', 'healthy', 'Running', '{}', '{"cluster":"prod","namespace":"web"}', default, null, null, null, null, null, '2026-01-04Z', now()),
      (${disk}, 'disk', 'AWS::EBS::Volume', 'Volume', 'warning', 'in-use', null, null, ${remote}, null, null, null, null, null, '2026-01-05Z', null)`);
  await app.db.run(sql`
    insert into config_relationships (config_id, related_id, relation)
    values (${cluster}, ${pod}, 'ClusterPod'), (${pod}, ${disk}, 'PodVolume'), (${cluster}, ${gone}, 'ClusterPod')`);
  await app.db.run(sql`
    insert into config_changes (id, config_id, change_type, severity, source, summary, created_by, external_created_by, external_change_id, count, created_at)
    values
      (${id(11)}, ${cluster}, 'diff', 'info', 'kubernetes', 'spec', null, 'ann@shop.example', 'x1', 1, now() - interval '1 hour'),
      (${id(12)}, ${pod}, 'diff', 'low', 'kubernetes', '100% of, it', null, 'bob@shop.example', null, 3, now() - interval '2 hours'),
      (${id(13)}, ${pod}, 'BackOff', 'critical', 'events', 'restarted', ${author}, null, null, 2, now() - interval '1 day'),
      (${id(14)}, ${gone}, 'diff', 'High', 'kubernetes', null, null, null, null, 1, now() - interval '3 hours'),
      (${id(15)}, ${disk}, 'Resize', null, null, null, null, null, null, 1, now() - interval '5 days'),
      (${id(16)}, ${disk}, null, 'medium', null, null, null, null, null, 1, now() - interval '6 days'),
      (${id(17)}, ${disk}, 'Resize', 'high', null, null, null, null, null, 1, now() - interval '20 days')`);
  await app.db.run(sql`
    insert into people (id, name, email, type) values (${author}, 'Vera Viewer', 'vera@shop.example', null)`);
  await app.db.run(sql`
    insert into config_analysis (config_id, analyzer, analysis_type, severity, status)
    values (${pod}, 'a', 'security', 'high', 'open'), (${pod}, 'b', 'security', 'low', 'open'), (${node}, 'c', 'cost', 'low', 'open'),
           (${pod}, 'd', 'cost', 'high', 'resolved'), (${disk}, 'e', null, 'low', 'open')`);
});
afterAll(() => app.stop());

describe("groups", () => {
  const ask = (body: object) => app.admin.post("/api/catalog/summary", body);

  test("by type, as the page asks for them", async () => {
    const { status, json } = await ask({
      groupBy: ["type"],
      deleted: false,
      changes: { since: "30d" },
      analysis: { since: "30d" },
      cost: "30d",
    });
    expect(status).toBe(200);
    const any = expect.any(String) as string;
    expect(json).toEqual([
      {
        type: "AWS::EBS::Volume",
        count: 1,
        health: { warning: 1 },
        created_at: "2026-01-05T00:00:00.000Z",
        updated_at: any,
        changes: 3,
        analysis: { other: 1 },
        analysis_severity: { other: { low: 1 } },
      },
      {
        type: "Kubernetes::Cluster",
        count: 1,
        health: { healthy: 1 },
        created_at: "2026-01-01T00:00:00.000Z",
        updated_at: any,
        changes: 1,
        cost_30d: 300,
        cost_per_minute: 0.5,
        cost_total_1d: 10,
        cost_total_7d: 70,
        cost_total_30d: 300,
      },
      {
        type: "Kubernetes::Pod",
        count: 2,
        health: { unhealthy: 1, unknown: 1 },
        created_at: "2026-01-03T00:00:00.000Z",
        updated_at: any,
        changes: 2,
        analysis: { security: 2, cost: 1 },
        analysis_severity: { security: { high: 1, low: 1 }, cost: { low: 1 } },
      },
    ]);
  });

  test("by type, with changes of what came before its item, and of what became another type", async () => {
    const sums = async () =>
      (await ask({ groupBy: ["type"], changes: { since: "30d" } })).json.map(
        (group: { type: string; count: number; changes: number }) =>
          `${group.type} ${group.count} ${group.changes}`,
      );
    const before = await sums();
    await app.db.transaction(async (tx) => {
      await tx.run(sql`
        insert into config_changes (config_id, change_type) values (${id(70)}, 'diff'), (${id(71)}, 'diff')`);
      await tx.run(sql`
        insert into config_items (id, name, type, config_class, health, deleted_at)
        values (${id(70)}, 'late', 'Late', 'Late', '', null), (${id(71)}, 'gone', 'Late', 'Late', null, now()),
               (${id(72)}, 'other', 'Late', 'Late', 'unknown', null)`);
    });
    const late = async () => (await sums()).filter((group: string) => !before.includes(group));
    expect(await late()).toEqual(["Late 2 1"]);
    const { json } = await ask({ groupBy: ["type"], changes: { since: "30d" } });
    expect(json.find(({ type }: { type: string }) => type === "Late").health).toEqual({
      unknown: 2,
    });
    await app.db.run(
      sql`insert into config_changes (config_id, change_type) values (${id(70)}, 'diff')`,
    );
    expect(await late()).toEqual(["Late 2 2"]);
    await app.db.run(sql`update config_items set type = 'Later' where id = ${id(70)}`);
    expect(await late()).toEqual(["Late 1 0", "Later 1 2"]);
    await app.db.run(sql`delete from config_changes where config_id in (${id(70)}, ${id(71)})`);
    await app.db.run(sql`delete from config_items where id in (${id(70)}, ${id(71)}, ${id(72)})`);
    expect(await sums()).toEqual(before);
  });

  test("by type and tags; what has no such tag is a group of its own", async () => {
    const { json } = await ask({ groupBy: ["namespace", "type"], tags: ["cluster"] });
    const { updated_at: _, created_at: __, ...volume } = json.at(-2);
    expect(
      json.map((row: Record<string, unknown>) => [
        row["namespace"],
        row["cluster"],
        row["type"],
        row["count"],
      ]),
    ).toEqual([
      ["sys", "prod", "Kubernetes::Pod", 1],
      ["web", "prod", "Kubernetes::Pod", 1],
      [null, null, "AWS::EBS::Volume", 1],
      [null, "prod", "Kubernetes::Cluster", 1],
    ]);
    expect(volume).toEqual({
      namespace: null,
      cluster: null,
      type: "AWS::EBS::Volume",
      count: 1,
      health: { warning: 1 },
    });
    const byTag = await ask({ groupBy: ["cluster"] });
    expect(byTag.json).toMatchObject([
      { type: "", cluster: "prod", count: 3 },
      { type: "", cluster: null, count: 1 },
    ]);
  });

  test.each<[object, Record<string, number>]>([
    [{}, { "AWS::EBS::Volume": 1, "Kubernetes::Cluster": 1, "Kubernetes::Pod": 2 }],
    [
      { groupBy: null, tags: [], filter: null },
      { "AWS::EBS::Volume": 1, "Kubernetes::Cluster": 1, "Kubernetes::Pod": 2 },
    ],
    [
      { deleted: true, health: "healthy" },
      { "Kubernetes::Cluster": 1, "Kubernetes::Pod": 1 },
    ],
    [{ health: "unknown,UN*" }, { "Kubernetes::Pod": 2 }],
    [{ health: "!healthy,!warning" }, { "Kubernetes::Pod": 2 }],
    [{ status: "*loop,in-use" }, { "AWS::EBS::Volume": 1, "Kubernetes::Pod": 1 }],
    [{ filter: { app: "shop" } }, { "Kubernetes::Cluster": 1, "Kubernetes::Pod": 1 }],
    [{ filter: { app: "!shop" } }, { "AWS::EBS::Volume": 1, "Kubernetes::Pod": 1 }],
    [{ filter: { app: "s*", "it's": "!x" } }, { "Kubernetes::Cluster": 1, "Kubernetes::Pod": 1 }],
    [{ health: "nowhere" }, {}],
  ])("%j", async (body, expected) => {
    const { json } = await ask(body);
    expect(
      Object.fromEntries(json.map((row: { type: string; count: number }) => [row.type, row.count])),
    ).toEqual(expected);
  });

  test.each([
    ["1w", { "AWS::EBS::Volume": 2, "Kubernetes::Cluster": 1, "Kubernetes::Pod": 2 }],
    ["90m", { "AWS::EBS::Volume": 0, "Kubernetes::Cluster": 1, "Kubernetes::Pod": 0 }],
    ["30d", { "AWS::EBS::Volume": 3, "Kubernetes::Cluster": 1, "Kubernetes::Pod": 2 }],
  ])("changes of the last %s", async (since, expected) => {
    const { json } = await ask({ changes: { since } });
    expect(
      Object.fromEntries(
        json.map((row: { type: string; changes: number }) => [row.type, row.changes]),
      ),
    ).toEqual(expected);
  });

  test.each([
    [{ changes: { since: "soon" } }, "changes.since"],
    [{ analysis: { since: "-1d" } }, "analysis.since"],
    [{ cost: "2d" }, "cost"],
    [{ groupBy: ["count"] }, "groupBy"],
    [{ groupBy: Array.from({ length: 11 }, (_, n) => `t${n}`) }, "groupBy"],
    [{ groupBy: ["a\0"] }, "groupBy.0"],
    [{ filter: { app: "x".repeat(900) } }, "filter.app"],
    [{ health: 7 }, "health"],
  ])("%j is refused", async (body, path) => {
    const { status, json } = await ask(body);
    expect([status, json.issues?.[0]?.path]).toEqual([400, path]);
  });
});

describe("changes", () => {
  const ask = (body: object) => app.admin.post("/api/catalog/changes", body);
  const ids = (json: { changes?: { id: string }[] }) =>
    (json.changes ?? []).map((one) => Number(one.id.slice(-2)));

  test("a page of them, newest first, with what is on it and how many there are", async () => {
    const { status, json } = await ask({ page_size: 2, sort_by: "-created_at", recursive: "none" });
    expect(status).toBe(200);
    expect(json).toEqual({
      total: 5,
      summary: { diff: 2 },
      changes: [
        {
          id: id(11),
          config_id: cluster,
          agent_id: "00000000-0000-0000-0000-000000000000",
          name: "prod",
          type: "Kubernetes::Cluster",
          tags: { cluster: "prod" },
          change_type: "diff",
          severity: "info",
          source: "kubernetes",
          summary: "spec",
          created_at: expect.any(String) as string,
          count: 1,
          first_observed: expect.any(String) as string,
          created_by: null,
          external_created_by: "ann@shop.example",
          external_change_id: "x1",
        },
        expect.objectContaining({ id: id(12), count: 3 }),
      ],
    });
    expect(ids((await ask({ page_size: 2, page: 3 })).json)).toEqual([16]);
    const beyond = await ask({ page_size: 2, page: 4 });
    expect(beyond.json).toEqual({ total: 5, summary: {}, changes: [] });
  });

  test("nothing at all is an empty answer", async () => {
    expect((await ask({ type: "nothing" })).json).toEqual({});
  });

  test.each<[object, number[]]>([
    [{}, [11, 12, 13, 15, 16]],
    [{ include_deleted_configs: true }, [11, 12, 14, 13, 15, 16]],
    [{ from: "now-2d" }, [11, 12, 13]],
    [{ from: "now-30d" }, [11, 12, 13, 15, 16, 17]],
    [{ to: "now-90m" }, [12, 13, 15, 16, 17]],
    [{ from: "now-4d", to: "now-90m" }, [12, 13]],
    [{ type: "DIFF" }, [11, 12]],
    [{ type: "!diff" }, [13, 15, 16]],
    [{ type: "*off,res*" }, [13, 15]],
    [{ type: "nowhere*" }, []],
    [{ config_type: "Kubernetes::*,!*cluster" }, [12, 13]],
    [{ config_type: "!Kubernetes::Pod" }, [11, 15, 16]],
    [{ severity: "critical" }, [13]],
    [{ severity: "low" }, [12, 13, 16]],
    [{ severity: "Info" }, [11, 12, 13, 15, 16]],
    [{ severity: "high", include_deleted_configs: true }, [14, 13]],
    [{ severity: "!info" }, [12, 13, 16]],
    [{ summary: "100%25%20of%2C%20it" }, [12]],
    [{ summary: "!restarted,!spec" }, [12, 15, 16]],
    [{ source: "kube*" }, [11, 12]],
    [{ created_by: author }, [13]],
    [{ created_by: "*@shop.example,!bob*" }, [11]],
    [{ created_by: `${author},bob*` }, [12, 13]],
    [{ created_by: `!${author}` }, [11, 12, 15, 16]],
    [{ tags: "cluster=prod,namespace!=web" }, [11]],
    [{ tags: "namespace in (web,sys)" }, [12, 13]],
    [{ tags: "!cluster" }, [15, 16]],
    [{ agent_id: "local" }, [11, 12, 13]],
    [{ agent_id: remote }, [15, 16]],
    [{ id: cluster }, [11, 12, 13, 15, 16]],
    [{ id: cluster, depth: 1 }, [11, 12, 13]],
    [{ id: cluster, depth: 1, include_deleted_configs: true }, [11, 12, 14, 13]],
    [{ id: cluster, recursive: "none" }, [11]],
    [{ id: disk, recursive: "upstream" }, [11, 12, 13, 15, 16]],
    [{ id: pod, recursive: "downstream" }, [12, 13, 15, 16]],
    [{ id: pod, recursive: "all" }, [11, 12, 13, 15, 16]],
    [{ id: `${disk},${cluster}` }, [11, 15, 16]],
    [{ id: `!${pod}` }, [11, 15, 16]],
    [{ sort_by: "count" }, [11, 15, 16, 13, 12]],
    [{ sort_by: "-name" }, [13, 12, 11, 16, 15]],
  ])("%j", async (body, expected) => {
    const { json } = await ask(body);
    expect(ids(json)).toEqual(expected);
    expect(json.total ?? 0).toBe(expected.length);
  });

  test.each<[search: string, expected: number[]]>([
    ["type=DIFF", [11, 12]],
    ["type!=diff", [13, 15, 16]],
    ["severity>=medium", [13, 16]],
    ["severity>medium", [13]],
    ["severity<=low", [11, 12, 15]],
    ["severity=low,crit*", [12, 13]],
    ["severity!=info", [12, 13, 16]],
    ["by=vera", [13]],
    ["by=vera@shop.example,bob", [12, 13]],
    ["by*=vera", [13]],
    [`created_by=${author}`, [13]],
    ["by!=ann", [12, 13, 15, 16]],
    ["restarted", [13]],
    ['"100% of, it"', [12]],
    ["source=kube* count>2", [12]],
    ["created>now-2d", [11, 12, 13]],
    ["created>now-2d created<now-90m", [12, 13]],
    ["tag:cluster=prod", [11, 12, 13]],
    ["-tag:cluster", [15, 16]],
    ["name=web", [12, 13]],
    ["config_type=pod | config:health=warning", [12, 13, 15, 16]],
    ["config:name*=o type=diff", [11]],
    ["config:insights>1", [12, 13]],
    ["config:labels.app=shop namespace=web", [12, 13]],
    ["config:is:unowned type=resize", [15]],
    ["config:config.nowhere=1", []],
    ["agent=berlin", [15, 16]],
    ["type=resize | name=prod severity=info", [11, 15]],
    [`config_id=${disk}; spec`, [11, 15, 16]],
    ["(by=ann | name=disk) -type=resize", [11, 16]],
    ["type=nowhere", []],
  ])("found by %s", async (search, expected) => {
    const { status, json } = await ask({ search });
    expect([status, ids(json)]).toEqual([200, expected]);
    const { json: counted } = await app.admin.post("/api/catalog/changes/timeline", {
      search,
      from: "now-7d",
    });
    const total = counted.spans.flatMap((span: object) =>
      Object.values(span).filter((n) => typeof n === "number"),
    );
    expect(total.reduce((sum: number, n: number) => sum + n, 0)).toBe(expected.length);
  });

  test.each([
    ["severity>=bad", "severity is one of critical, high, medium, low, info", 11],
    ["type=diff health=bad", "there is no field health here", 11],
    ["type>diff", "type is compared with = and != only", 1],
    ["created=soon", '"soon" is no date', 9],
    ["config:nowhere.x>y", "needs a number", 18],
    ["type=diff @order=name", "the list itself says", 11],
    ["(a", "never closed", 1],
  ])("the search %s is refused with its place", async (search, message, column) => {
    const { status, json } = await ask({ search });
    expect(status).toBe(400);
    expect(json.issues[0]).toMatchObject({
      path: "search",
      column,
      message: expect.stringContaining(message),
    });
  });

  test("a day at both ends is that day", async () => {
    const { json } = await ask({ from: "now-5d/d", to: "now-5d/d" });
    expect(ids(json)).toEqual([15]);
  });

  test("how many there are is left out for who does not want to know", async () => {
    const body = { page_size: 2, recursive: "none" };
    const { total, ...page } = (await ask(body)).json;
    expect(total).toBe(5);
    expect((await ask({ ...body, total: false })).json).toEqual(page);
    expect((await ask({ ...body, total: false, page: 9 })).json).toEqual({});
    const byAddress = await app.admin.get(
      "/api/catalog/changes?page_size=2&recursive=none&total=false",
    );
    expect(byAddress.json).toEqual(page);
  });

  test("the same can be asked with an address", async () => {
    const { status, json } = await app.admin.get(
      `/api/catalog/changes?id=${cluster}&recursive=downstream&depth=1&include_deleted_configs=true&page_size=3&page=1&type=diff`,
    );
    expect([status, ids(json)]).toEqual([200, [11, 12, 14]]);
  });

  test.each([
    [{ severity: "bad" }, "severity"],
    [{ agent_id: "Berlin" }, "agent_id"],
    [{ recursive: "sideways" }, "recursive"],
    [{ sort_by: "id" }, "sort_by"],
    [{ from: "yesterday" }, "from"],
    [{ from: "now-1d", to: "now-2d" }, "to"],
    [{ tags: "a in (" }, "tags"],
    [{ id: "x" }, "id"],
    [{ id: `${pod},prod*` }, "id"],
    [{ page: 0 }, "page"],
    [{ page_size: 5000 }, "page_size"],
    [{ depth: 65 }, "depth"],
    [{ type: "a".repeat(900) }, "type"],
    [{ summary: "a\0" }, "summary"],
  ])("%j is refused with its place", async (body, path) => {
    const { status, json } = await ask(body);
    expect([status, json.issues?.[0]?.path]).toEqual([400, path]);
    expect(json.error).toEqual(expect.any(String));
  });
});

describe("changes over time", () => {
  const ask = (body: object) => app.admin.post("/api/catalog/changes/timeline", body);
  const totalOf = (spans: Record<string, number | string>[]) =>
    spans.flatMap((span) => Object.entries(span).filter(([name]) => name !== "at"));

  test("are counted by severity in spans of the range that is looked at", async () => {
    const { status, json } = await ask({ from: "now-7d", to: "now", spans: 7, recursive: "none" });
    expect([status, json.step_ms]).toEqual([200, 86_400_000]);
    expect(Date.parse(json.to) - Date.parse(json.from)).toBe(7 * 86_400_000);
    expect(json.spans.every(({ at }: { at: string }) => at.endsWith("T00:00:00.000Z"))).toBe(true);
    expect(json.spans.map(({ at }: { at: string }) => at)).toEqual(
      json.spans.map(({ at }: { at: string }) => at).toSorted(),
    );
    expect(
      totalOf(json.spans)
        .map(([severity, n]) => `${n} ${severity}`)
        .toSorted(),
    ).toEqual(["1 critical", "1 info", "1 info", "1 low", "1 medium"]);
  });

  test.each<[object, [string, number][]]>([
    [{ severity: "low", type: "diff" }, [["low", 1]]],
    [{ id: pod, recursive: "none", type: "BackOff" }, [["critical", 1]]],
    [{ type: "nothing" }, []],
    [{ type: "diff", severity: "high", include_deleted_configs: true }, [["high", 1]]],
  ])("of %j the same are counted as are listed", async (body, expected) => {
    const { json } = await ask(body);
    expect(totalOf(json.spans)).toEqual(expected);
  });

  test.each([
    [{ to: "now-1d" }, "from"],
    [{ from: "now+1d" }, "from"],
    [{ spans: 401 }, "spans"],
    [{ severity: "bad" }, "severity"],
  ])("%j is refused with its place", async (body, path) => {
    const { status, json } = await ask(body);
    expect([status, json.issues?.[0]?.path]).toEqual([400, path]);
  });
});

describe("insights", () => {
  const found = async (search: string) =>
    app.admin.get(
      `/api/db/config_analysis_items?select=analyzer&order=analyzer&search=${encodeURIComponent(search)}`,
    );

  test.each<[search: string, analyzers: string]>([
    ["type=security", "ab"],
    ["type=security severity>=high status=open", "a"],
    ["severity<high", "bce"],
    ["status!=open", "d"],
    ["analyzer=a,!b", "a"],
    ["first_observed>now-1h last_observed<now-1d", ""],
    ["tag:cluster=prod -type=cost", "ab"],
    ["name=disk | config:status=running", "ce"],
    ["config_type=pod config:changes>1 type=cost", "d"],
    ["agent=berlin", "e"],
  ])("found by %s", async (search, analyzers) => {
    const { status, json } = await found(search);
    expect([status, json.map(({ analyzer }: { analyzer: string }) => analyzer).join("")]).toEqual([
      200,
      analyzers,
    ]);
  });

  test.each([
    ["health=bad", "there is no field health here"],
    ["severity=bad", "severity is one of critical, blocker, high, medium, warning, low, info"],
  ])("%s is refused", async (search, message) => {
    const { status, json } = await found(search);
    expect([status, json.message]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe("what the pages ask of the data API", () => {
  const ask = async (path: string, headers?: Record<string, string>) => {
    const { status, json, headers: answered } = await app.admin.get(`/api/db/${path}`, headers);
    return { status, json, range: answered.get("content-range") };
  };
  const listed =
    "id,type,config_class,status,health,labels,name,tags,created_at,updated_at,deleted_at,cost_per_minute,cost_total_1d,cost_total_7d,cost_total_30d,changes,analysis,agent:agents(id,name)";
  const item = "config:configs(id,name,config_class,type)";
  const podItem = { id: pod, name: "web", config_class: "Pod", type: "Kubernetes::Pod" };

  test("a type's items, by their state", async () => {
    const { status, json } = await ask(
      `configs?&select=${listed}&type=eq.Kubernetes::Pod&status.filter=!Running&health.filter=unhealthy&order=type,name.asc&deleted_at=is.null`,
    );
    expect([status, json]).toEqual([
      200,
      [
        expect.objectContaining({
          ...podItem,
          changes: [
            { change_type: "BackOff", severity: "critical", total: 1 },
            { change_type: "diff", severity: "low", total: 1 },
          ],
          analysis: { security: 2 },
          agent: { id: "00000000-0000-0000-0000-000000000000", name: "local" },
        }),
      ],
    ]);
  });

  test.each([
    ["or=(name.ilike.*WE*,type.ilike.*WE*,description.ilike.*WE*,namespace.ilike.*WE*)", ["web"]],
    [
      "or=(name.ilike.*sys*,type.ilike.*sys*,description.ilike.*sys*,namespace.ilike.*sys*)",
      ["worker"],
    ],
    ["labels->>app=eq.shop", ["prod", "web"]],
    ["type=eq.AWS::EBS::Volume", ["disk"]],
  ])("items by %s", async (where, names) => {
    const { json } = await ask(
      `configs?select=${listed}&${where}&order=name.asc&deleted_at=is.null`,
    );
    expect(json.map((row: { name: string }) => row.name)).toEqual(names);
  });

  test("one item with its scraper and what there is to see of it", async () => {
    const { status, json } = await ask(
      `config_detail?id=eq.${pod}&select=*,config_scrapers(id,name)`,
    );
    expect([status, json]).toEqual([
      200,
      [
        expect.objectContaining({
          ...podItem,
          config_scrapers: { id: id(80), name: "fleet" },
          summary: { relationships: 2, analysis: 3, changes: 4, playbook_runs: 0, checks: 0 },
          components: [],
        }),
      ],
    ]);
  });

  test("insights with their items, counted", async () => {
    const { status, json, range } = await ask(
      `config_analysis_items?select=id,analysis_type,analyzer,severity,status,first_observed,last_observed,${item}&limit=50&offset=0&status=eq.open&analysis_type=eq.security&severity=eq.high&config_type=eq.Kubernetes::Pod&order=first_observed.desc`,
      { prefer: "count=exact" },
    );
    expect([status, range, json]).toEqual([
      200,
      "0-0/1",
      [expect.objectContaining({ analyzer: "a", config: podItem })],
    ]);
    const one = await ask(
      `config_analysis?select=id,source,analyzer,analysis_type,message,severity,status,analysis,first_observed,${item}&id=eq.${json[0].id}`,
      { prefer: "count=exact" },
    );
    expect([one.status, one.json]).toEqual([
      200,
      [expect.objectContaining({ analyzer: "a", status: "open", config: podItem })],
    ]);
  });

  test("one change with its item", async () => {
    const { status, json } = await ask(
      `config_changes?config_id=eq.${pod}&id=eq.${id(13)}&select=id,config_id,change_type,created_at,external_created_by,source,diff,details,patches,created_by,config:configs(id,name,type,config_class)`,
    );
    expect([status, json]).toEqual([
      200,
      [expect.objectContaining({ change_type: "BackOff", created_by: author, config: podItem })],
    ]);
  });

  test.each([
    ["", ["prod", "web", "disk"]],
    ["&include_deleted_configs=true", ["prod", "old", "web", "disk"]],
    ["&max_depth=1", ["prod", "web"]],
    ["&type.filter=Kubernetes::*", ["prod", "web"]],
    ["&type.filter=!Kubernetes::Pod&health.filter=warning,healthy", ["prod", "disk"]],
    ["&status.filter=CrashLoop", ["web"]],
    ["&outgoing_relation=hard", ["prod"]],
  ])("related items%s", async (more, names) => {
    const { status, json } = await ask(
      `rpc/related_configs_recursive?config_id=${cluster}&max_depth=${more.includes("max_depth") ? "1" : "10"}${more.replace("&max_depth=1", "")}`,
    );
    expect([status, json.map((row: { name: string }) => row.name)]).toEqual([200, names]);
  });

  test.each(["-1", "0"])("a walk to %s items is refused with the reason", async (most) => {
    const { status, json } = await ask(
      `rpc/related_configs_recursive?config_id=${cluster}&max_nodes=${most}`,
    );
    expect([status, json.message]).toEqual([400, `max_nodes is ${most}: it is 1 or more`]);
  });

  test.each(["config_tags", "config_labels", "config_types", "config_statuses", "change_types"])(
    "%s",
    async (view) => {
      const { status, json } = await ask(view);
      expect([status, json]).toEqual([200, expected[view as keyof typeof expected]]);
    },
  );
  const expected = {
    config_tags: [
      { key: "cluster", value: "prod", items: 3 },
      { key: "namespace", value: "sys", items: 1 },
      { key: "namespace", value: "web", items: 1 },
    ],
    config_labels: [
      { key: "app", value: "core", items: 1 },
      { key: "app", value: "shop", items: 2 },
    ],
    config_types: [
      { type: "AWS::EBS::Volume" },
      { type: "Kubernetes::Cluster" },
      { type: "Kubernetes::Pod" },
    ],
    config_statuses: [
      { status: "CrashLoop" },
      { status: "Ready" },
      { status: "Running" },
      { status: "in-use" },
    ],
    change_types: [{ change_type: "BackOff" }, { change_type: "Resize" }, { change_type: "diff" }],
  };
});

test("scrapers are found, and items by the name of theirs", async () => {
  const { json } = await app.admin.post("/api/resources/search", {
    scrapers: [{ search: "fleet", labelSelector: "team=red" }],
    configs: [{ scope: "ops/fleet" }],
  });
  expect(json).toMatchObject({
    scrapers: [{ name: "fleet", namespace: "ops", icon: "k8s", labels: { team: "red" } }],
    configs: [{ name: "prod" }, { name: "web" }],
  });
});

describe("changes by somebody", () => {
  test.each([
    [{ created_by: "ann*" }, 1],
    [{ created_by: author }, 1],
    [{ created_by: "!ann@shop.example" }, 4],
    [{ search: "by=vera" }, 1],
    [{ search: "by=bob" }, 1],
    [{ search: "-by=vera" }, 4],
    [{ search: "by!=ann" }, 4],
  ])("%j are %d", async (body, total) => {
    const { json } = await app.admin.post("/api/catalog/changes", { ...body, from: "now-7d" });
    expect(json.total).toBe(total);
  });
});

test("changes of more items than are looked up one by one are found and counted alike", async () => {
  await app.db.run(sql`
    insert into config_items (id, name, type, config_class, tags, deleted_at)
    select md5('many ' || n)::uuid, 'many ' || n, 'Many', 'Many', '{"crowd":"yes"}', case when n = 1 then now() end
      from generate_series(1, 1100) n`);
  await app.db.run(sql`
    insert into config_changes (config_id, change_type, severity, created_at)
    select md5('many ' || n)::uuid, 'Moved', 'low', now() - n * interval '1 minute' from generate_series(1, 5) n`);
  const body = { tags: "crowd=yes", config_type: "many", from: "now-1d" };
  const listed = async (more: object) =>
    (await app.admin.post("/api/catalog/changes", { ...body, ...more })).json;
  const { total, changes } = await listed({ page_size: 2 });
  expect([total, changes.map(({ name }: { name: string }) => name)]).toEqual([
    4,
    ["many 2", "many 3"],
  ]);
  expect((await listed({ include_deleted_configs: true })).total).toBe(5);
  const { json } = await app.admin.post("/api/catalog/changes/timeline", { ...body, spans: 1 });
  const low = json.spans.map((span: { low: number }) => span.low);
  expect(low.reduce((sum: number, n: number) => sum + n, 0)).toBe(4);
  // Where there are so many changes in the range each of the items is looked up for itself, and the same is found.
  await app.db.run(sql`
    insert into config_change_hours (hour, change_type, total)
    values (date_trunc('hour', now(), 'UTC') - interval '3 hours', 'Crowd', 70000)`);
  expect((await listed({ page_size: 2 })).total).toBe(4);
  expect((await listed({ include_deleted_configs: true, severity: "low" })).total).toBe(5);
  expect((await listed({ severity: "high" })).total).toBeUndefined();
  const each = await app.admin.post("/api/catalog/changes/timeline", { ...body, spans: 1 });
  const ofEach = each.json.spans.map((span: { low: number }) => span.low);
  expect(ofEach.reduce((sum: number, n: number) => sum + n, 0)).toBe(4);
  await app.db.run(sql`delete from config_change_hours where change_type = 'Crowd'`);
  // Words that nobody knows, and none at all, are for information.
  await app.db.run(sql`
    insert into config_changes (config_id, change_type, severity, created_at)
    select md5('many 2')::uuid, 'Said', s, now() - interval '1 minute' from unnest(array['odd', 'Info', null]) s`);
  const said = { ...body, type: "Said", from: "now-1h", spans: 1 };
  const counted = (await app.admin.post("/api/catalog/changes/timeline", said)).json.spans;
  const info = counted.map((span: { info: number }) => span.info);
  expect(info.reduce((sum: number, n: number) => sum + n, 0)).toBe(3);
});
