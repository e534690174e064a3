import { randomUUID } from "node:crypto";
import type { ResourceKind, ResourceSelector } from "@mainstay/contract";
import sql, { join, raw } from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { features } from "../../features.ts";
import { testDatabase } from "../../testing/app.ts";
import { selectorCondition, selectResources } from "./compile-selector.ts";
import { kindsOfResource } from "./resource-kinds.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
const now = new Date("2026-06-15T12:00:00Z");
const remote = randomUUID();
const shop = randomUUID();
const bank = randomUUID();
const frontId = randomUUID();
const hostile = `Robert'); drop table checks;-- "q" 100% _x \\ * ; | (a)`;

beforeAll(async () => {
  database = await testDatabase();
  const { db } = database;
  await db.run(sql`insert into agents (id, name) values (${remote}, 'Berlin')`);
  await db.run(sql`insert into canaries (id, name, namespace, spec) values
    (${shop}, 'shop', 'web', '{}'), (${bank}, 'bank', 'money', '{}')`);
  await insert("checks", [
    {
      id: frontId,
      canary_id: shop,
      type: "http",
      name: "Front page",
      namespace: "web",
      status: "healthy",
      labels: { team: "red", "app.kubernetes.io/name": "front", weight: "5" },
      severity: "high",
      created_at: "2026-06-15T10:00:00Z",
    },
    {
      canary_id: shop,
      type: "http",
      name: "front door",
      namespace: "web",
      status: "unhealthy",
      labels: { team: "blue", weight: "12" },
      created_at: "2026-06-10T00:00:00Z",
      spec: { url: "https://door", retries: 3 },
    },
    {
      canary_id: bank,
      type: "tcp",
      name: "Vault",
      namespace: "money",
      status: null,
      labels: null,
      created_at: "2026-06-01T00:00:00Z",
    },
    {
      canary_id: bank,
      type: "dns",
      name: hostile,
      namespace: "money",
      status: "unhealthy",
      labels: { team: "Red" },
      created_at: "2026-01-01T00:00:00Z",
    },
    {
      canary_id: bank,
      type: "dns",
      name: "gone",
      namespace: "money",
      status: "healthy",
      labels: {},
      deleted_at: "2026-06-14T00:00:00Z",
      created_at: "2026-01-01T00:00:00Z",
    },
    {
      canary_id: bank,
      agent_id: remote,
      type: "http",
      name: "Front of Berlin",
      namespace: "money",
      status: "healthy",
      labels: { team: "red" },
      created_at: "2026-01-01T00:00:00Z",
    },
    {
      canary_id: bank,
      type: "http",
      name: "Größe 東京",
      namespace: "money",
      status: "healthy",
      labels: null,
      created_at: "2026-01-01T00:00:00Z",
    },
  ]);
  await insert("config_items", [
    {
      config_class: "Pod",
      type: "Kubernetes::Pod",
      name: "web-1",
      tags: { namespace: "shop", zone: "a" },
      labels: { app: "web" },
      health: null,
      external_id: ["Pod/web-1", "alias"],
      properties: [
        { name: "owner", text: "Ada" },
        { name: "cpu", value: 250 },
      ],
      config: { spec: { replicas: 3, image: "nginx:1.27" } },
    },
    {
      config_class: "Pod",
      type: "Kubernetes::PodDisruptionBudget",
      name: "budget",
      tags: { namespace: "bank" },
      labels: null,
      health: "healthy",
      external_id: null,
      properties: { not: "a list" },
      config: "text",
    },
    {
      config_class: "VirtualMachine",
      type: "AWS::EC2::Instance",
      name: "vm",
      tags: null,
      labels: { app: "db" },
      health: "warning",
      external_id: ["i-1"],
      properties: null,
      config: null,
    },
  ]);
  await insert("components", [
    {
      external_id: "c1",
      name: "Checkout",
      namespace: "web",
      type: "Service",
      status: "info",
      health: "unhealthy",
      labels: { tier: "1" },
      properties: [{ name: "owner", text: "Grace" }],
      summary: { healthy: 4 },
    },
    {
      external_id: "c2",
      name: "Ledger",
      namespace: "money",
      type: "Database",
      status: "healthy",
      health: "healthy",
      labels: null,
      properties: null,
      summary: null,
    },
  ]);
});
afterAll(() => database.drop());

async function insert(table: string, rows: Record<string, unknown>[]): Promise<void> {
  for (const row of rows) {
    const values = Object.entries(row).map(([column, value]) =>
      // An array of texts is a value of PostgreSQL, everything else that is an object is JSON.
      column !== "external_id" && typeof value === "object" && value !== null
        ? JSON.stringify(value)
        : column === "config"
          ? JSON.stringify(value)
          : value,
    );
    await database.db.run(
      sql`insert into ${raw(table)} (${raw(Object.keys(row).join(", "))}) values (${join(values)})`,
    );
  }
}

/** Names of what is selected, in code point order. */
async function selected(kind: ResourceKind, ...selectors: ResourceSelector[]): Promise<string[]> {
  const { table } = kindsOfResource[kind];
  const rows = await database.db.rows<{ name: string }>(
    sql`select name from ${raw(table)} where ${selectorCondition(kind, selectors, { now })}`,
  );
  return rows.map(({ name }) => name).toSorted();
}
const local = ["Front page", "Größe 東京", hostile, "Vault", "front door"].toSorted();
const fronts = ["Front page", "front door"];

describe("a selector of checks", () => {
  test.each<[ResourceSelector, string[]]>([
    // Nothing is selected by nothing.
    [{}, []],
    [{ search: "  ", name: "", types: [], labelSelector: " ", limit: 5, includeDeleted: true }, []],
    [{ search: "limit=5 @order=name" }, []],
    [{ search: ";;" }, []],
    [{ name: "*" }, local],
    // Whose: this server's own, unless said otherwise.
    [{ name: "*", agent: "self" }, local],
    [{ name: "*", agent: "local" }, local],
    [{ name: "front*", agent: "all" }, ["Front of Berlin", ...fronts].toSorted()],
    [{ agent: "berlin" }, ["Front of Berlin"]],
    [{ agent: remote }, ["Front of Berlin"]],
    [{ agent: "nowhere" }, []],
    [{ agent: "all", search: "front agent=Ber*" }, ["Front of Berlin"]],
    [{ search: "agent=berlin" }, ["Front of Berlin"]],
    [{ search: "front agent=self,berlin" }, ["Front of Berlin", ...fronts].toSorted()],
    [{ search: "front -agent=self" }, ["Front of Berlin"]],
    // Which.
    [{ id: frontId }, ["Front page"]],
    [{ id: frontId.toUpperCase() }, ["Front page"]],
    [{ id: `${frontId}, ${randomUUID()}` }, ["Front page"]],
    [{ scope: bank }, local.filter((name) => !fronts.includes(name))],
    [{ scope: "web/shop" }, fronts],
    [{ scope: "money/shop" }, []],
    [{ name: "FRONT*,!*door" }, ["Front page"]],
    [{ name: "!front*" }, local.filter((name) => !fronts.includes(name))],
    [{ name: "vault, front page" }, ["Front page", "Vault"]],
    [{ name: "gröSSE*" }, []],
    [{ name: "GRÖßE*" }, ["Größe 東京"]],
    [{ name: encodeURIComponent(hostile).replaceAll("*", "%2A") }, [hostile]],
    [{ namespace: "web" }, fronts],
    [{ namespace: "web,money", types: ["tcp"] }, ["Vault"]],
    [{ types: "HTTP,!tcp" }, ["Front page", "Größe 東京", "front door"].toSorted()],
    [{ types: ["!http", "!dns"] }, ["Vault"]],
    [{ statuses: ["unknown"] }, ["Vault"]],
    [{ health: "unhealthy", namespace: "web" }, ["front door"]],
    [{ name: "gone" }, []],
    [{ name: "gone", includeDeleted: true }, ["gone"]],
    // Labels, as Kubernetes compares them.
    [{ labelSelector: "team=red" }, ["Front page"]],
    [{ labelSelector: "team in (red, Red)" }, ["Front page", hostile].toSorted()],
    [{ labelSelector: "team" }, ["Front page", "front door", hostile].toSorted()],
    [{ labelSelector: "!team" }, ["Größe 東京", "Vault"]],
    [{ labelSelector: "team!=red" }, local.filter((name) => name !== "Front page")],
    [{ labelSelector: "team notin (red,blue),app.kubernetes.io/name" }, []],
    [{ labelSelector: "app.kubernetes.io/name=front,team=red" }, ["Front page"]],
    [{ labelSelector: "team=red", agent: "all" }, ["Front of Berlin", "Front page"]],
  ])("%j selects %j", async (selector, names) => {
    expect(await selected("checks", selector)).toEqual(names);
  });

  test("of several, each adds what it selects", async () => {
    expect(await selected("checks", { name: "vault" }, {}, { namespace: "web" })).toEqual([
      "Front page",
      "Vault",
      "front door",
    ]);
    expect(await selected("checks")).toEqual([]);
    expect(await selected("checks", {}, {})).toEqual([]);
  });

  test("one that is limited selects as many, of those that come first", async () => {
    expect(await selected("checks", { name: "*", limit: 1 })).toEqual(["front door"]);
    expect(
      await selected(
        "checks",
        { search: "@order=-name limit=1 name=*" },
        { name: "front*", limit: 1 },
      ),
    ).toEqual(["Vault", "front door"]);
    expect(await selected("checks", { search: "front offset=1" })).toEqual(["Front page"]);
  });
});

describe("a search among checks", () => {
  test.each<[string, string[]]>([
    ["front", fronts],
    ["FRONT page", ["Front page"]],
    ["page", []],
    ["*page*", ["Front page"]],
    ["page front", []],
    ['"front page"', ["Front page"]],
    ["front -door", fronts],
    ["front -*door", ["Front page"]],
    ["front | vault", ["Front page", "Vault", "front door"]],
    ["(front | vault) type=tcp", ["Vault"]],
    ["-(front | vault)", ["Größe 東京", hostile].toSorted()],
    ["vault; front page", ["Front page", "Vault"]],
    ["name=*door,vau*", ["Vault", "front door"]],
    ["name=front*,!*page", ["front door"]],
    ["name!=front*", local.filter((name) => !fronts.includes(name))],
    ["type=!http,!dns", ["Vault"]],
    ["status=unknown", ["Vault"]],
    ["health:unhealthy namespace:web", ["front door"]],
    ["check_type=tcp", ["Vault"]],
    ["labels.team=red", ["Front page", hostile].toSorted()],
    ["labels.team", ["Front page", "front door", hostile].toSorted()],
    ["!labels.team", ["Größe 東京", "Vault"]],
    ["labels.team!=red", ["Größe 東京", "Vault", "front door"]],
    ["labels.app.kubernetes.io/name=fr*", ["Front page"]],
    ["labels.weight>5", ["front door"]],
    ["labels.weight>=5 labels.weight<12", ["Front page"]],
    ["labels.team>5", []],
    ["spec.url=https://door", ["front door"]],
    ["spec.retries>2", ["front door"]],
    ["severity=high", ["Front page"]],
    [`canary_id=${shop}`, fronts],
    [`id=${frontId}`, ["Front page"]],
    [`id!=${frontId} namespace=web`, ["front door"]],
    ["created_at>now-1d", ["Front page"]],
    ["created>now-1w/d created<=2026-06-12", ["front door"]],
    ["created_at=2026-06-15", ["Front page"]],
    ["created_at=2026-06-15T10:00:00Z", ["Front page"]],
    ["created_at=2026-06-15,2026-06-10", fronts],
    ["created_at!=2026-01-01 namespace=money", ["Vault"]],
    ["deleted_at>now-2d", ["gone"]],
    ["deleted_at>now-1h", []],
    ["last_runtime>now-1d", []],
    [`"${hostile.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`, [hostile]],
    ['*"100% _x"*', [hostile]],
    ["*100*x*", [hostile]],
    ["*%*", [hostile]],
    ["*_*", [hostile]],
    ["*\\*", [hostile]],
    ["größe", ["Größe 東京"]],
    ["*東京", ["Größe 東京"]],
  ])("%j finds %j", async (search, names) => {
    expect(await selected("checks", { search })).toEqual(names);
  });

  test.each([
    "'; drop table checks; --",
    "name='; select pg_sleep(10); --'",
    "labels.x\"'=1",
    "constructor=1",
    "__proto__.x=1",
    "labels.__proto__=1",
    "spec.constructor.name=1",
    "@order=(select",
    "%s%d%n $1 $2 ?",
    "${1+1} {{x}}",
    "*a".repeat(500),
    `name=${"%".repeat(2000)}`,
    "labels.x>1e999",
    "created_at>now-999999y",
    "\u202Eevil\u0007",
  ])("%j harms nothing", async (search) => {
    const outcome = await selected("checks", { search, agent: "all" }).catch(
      (error: unknown) => error,
    );
    if (outcome instanceof Error) expect(outcome).toMatchObject({ code: "invalid" });
    else expect(outcome).toEqual([]);
    expect(await selected("checks", { name: "*" })).toEqual(local);
  });
});

describe("configs and components", () => {
  test.each<[ResourceKind, ResourceSelector, string[]]>([
    ["configs", { search: "type=pod" }, ["web-1"]],
    ["configs", { search: "type=pod*" }, ["budget", "web-1"]],
    ["configs", { search: "config_type=Kubernetes::Pod" }, ["web-1"]],
    ["configs", { types: ["Kubernetes::*"] }, ["budget", "web-1"]],
    ["configs", { search: "type=ec2" }, []],
    ["configs", { namespace: "shop" }, ["web-1"]],
    ["configs", { search: "namespace=shop,bank" }, ["budget", "web-1"]],
    ["configs", { search: "tags.zone=a" }, ["web-1"]],
    ["configs", { search: "!tags.zone" }, ["budget", "vm"]],
    ["configs", { tagSelector: "namespace in (shop,bank),zone" }, ["web-1"]],
    ["configs", { labelSelector: "app=db" }, ["vm"]],
    ["configs", { health: "unknown" }, ["web-1"]],
    ["configs", { search: "health=!healthy,!unknown" }, ["vm"]],
    ["configs", { search: "external_id=alias" }, ["web-1"]],
    ["configs", { search: "external_id!=alias" }, ["budget", "vm"]],
    ["configs", { search: "config.spec.replicas>2 config.spec.image=nginx*" }, ["web-1"]],
    ["configs", { search: "properties.owner=ada" }, ["web-1"]],
    ["configs", { search: "owner=ada" }, ["web-1"]],
    ["configs", { search: "properties.cpu>200" }, ["web-1"]],
    ["configs", { search: "properties.owner" }, ["web-1"]],
    ["configs", { search: "!properties.owner" }, ["budget", "vm"]],
    ["configs", { fieldSelector: "config_class=Pod,health=healthy" }, ["budget"]],
    ["configs", { fieldSelector: "owner=Ada" }, ["web-1"]],
    ["configs", { fieldSelector: "owner in (Ada,Grace)" }, ["web-1"]],
    ["configs", { fieldSelector: "!owner" }, ["budget", "vm"]],
    ["configs", { fieldSelector: "health,config_class!=Pod" }, ["vm"]],
    ["components", { search: "check" }, ["Checkout"]],
    ["components", { search: "component_type=service" }, ["Checkout"]],
    ["components", { search: "summary.healthy>=4" }, ["Checkout"]],
    ["components", { search: "owner=x" }, []],
    ["components", { search: "properties.owner=grace" }, ["Checkout"]],
    ["components", { health: ["healthy"] }, ["Ledger"]],
    ["components", { statuses: ["info"] }, ["Checkout"]],
    ["components", { fieldSelector: "external_id=c2" }, ["Ledger"]],
    ["components", { labelSelector: "tier" }, ["Checkout"]],
  ])("%s %j: %j", async (kind, selector, names) => {
    expect(await selected(kind, selector)).toEqual(names);
  });
});

describe("what is wrong is named with its place", () => {
  test.each<[ResourceKind, ResourceSelector, string]>([
    [
      "checks",
      { search: "name=" },
      'checks.0.search, character 6: expected a value after "name=", but the text ends.',
    ],
    [
      "checks",
      { search: "a\n  (b" },
      'checks.0.search, line 2, character 3: this "(" is never closed.',
    ],
    [
      "checks",
      { search: "colour=red" },
      "checks.0.search, character 1: there is no field colour here; there are id, name,",
    ],
    ["checks", { search: "tags.zone=a" }, "there is no field tags.zone"],
    ["checks", { search: "labels=a" }, "there is no field labels here"],
    ["checks", { search: "id=abc" }, 'character 4: "abc" is not an id'],
    ["checks", { search: "name>a" }, "name is compared with = and != only"],
    ["checks", { search: "created_at>yesterday" }, 'character 12: "yesterday" is no date'],
    ["checks", { search: "created_at=now*" }, '"now*" is no date'],
    ["checks", { search: "labels.weight>heavy" }, "labels.weight> needs a number"],
    ["checks", { search: "@order=labels" }, "there is no field labels here"],
    ["checks", { search: "@order=constructor" }, "there is no field constructor here"],
    [
      "configs",
      { search: `related=${frontId},direction=incoming` },
      "character 1: related= is not supported yet",
    ],
    ["checks", { id: "x" }, 'checks.0.id, character 1: "x" is not an id.'],
    ["checks", { scope: "web" }, "expected the id of a canary, or its namespace/name"],
    ["configs", { scope: "web/x" }, "a scraper is found by its id only"],
    ["checks", { tagSelector: "a=b" }, "checks have no tags"],
    ["checks", { fieldSelector: "a=b" }, "field selectors do not apply to checks"],
    [
      "checks",
      { labelSelector: "a=b,," },
      'checks.0.labelSelector, character 5: expected a key instead of ","',
    ],
    ["configs", { fieldSelector: "id=x" }, '"x" is not an id'],
  ])("%s %j: %s", (kind, selector, message) => {
    expect(() => selectorCondition(kind, [selector], { now })).toThrow(message);
  });

  test("the second selector is called the second", () => {
    const wrong = () => selectorCondition("checks", [{ name: "a" }, { id: "x" }], { now });
    expect(wrong).toThrow(
      expect.objectContaining({
        issues: [expect.objectContaining({ path: "checks.1.id", line: 1, column: 1 })],
      }),
    );
  });
});

describe("a listing", () => {
  const listed = async (limit: number, ...selectors: ResourceSelector[]) => {
    const statement = selectResources("checks", selectors, { columns: sql`name`, limit, now });
    return (
      statement && (await database.db.rows<{ name: string }>(statement)).map(({ name }) => name)
    );
  };

  test("is in the order that was asked for, else by name", async () => {
    expect(await listed(10, { namespace: "web" })).toEqual(["front door", "Front page"]);
    expect(await listed(10, { namespace: "web", search: "@order=-name" })).toEqual([
      "Front page",
      "front door",
    ]);
    expect(await listed(10, { search: "name=vault,front* sort=created_at" })).toEqual([
      "Vault",
      "front door",
      "Front page",
    ]);
    expect(await listed(10, { search: "labels.team @order=-labels.team" })).toEqual([
      expect.any(String),
      "Front page",
      "front door",
    ]);
  });

  test("has as many rows as everybody allows", async () => {
    expect(await listed(1, { namespace: "web" })).toEqual(["front door"]);
    expect(await listed(10, { namespace: "web", limit: 1, search: "limit=2" })).toEqual([
      "front door",
    ]);
    expect(await listed(10, { search: "front limit=1 offset=1" })).toEqual(["Front page"]);
    expect(await listed(1, { search: "vault; front" })).toEqual(["front door"]);
    expect(await listed(10, { search: "vault; front limit=1; vault" })).toEqual([
      "front door",
      "Vault",
    ]);
    expect(await listed(10, {})).toBeUndefined();
  });
});

test("nothing is searched that the data API would not show", () => {
  const tables = features.flatMap((feature) => feature.tables ?? []);
  for (const { table, fields, maps, hasProperties, read } of Object.values(kindsOfResource)) {
    const shown = tables.find(({ name }) => name === table)!;
    expect(shown.read).toBe(read);
    const hidden = [...(shown.hidden ?? []), ...(shown.secret ?? [])];
    const searched = [
      ...Object.values(fields).map(({ column }) => column),
      ...maps,
      ...(hasProperties ? ["properties"] : []),
    ];
    expect(searched.filter((column) => hidden.includes(column))).toEqual([]);
    expect(shown.rowRule).toBeUndefined();
  }
});
