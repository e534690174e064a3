// Takes long: topologies are applied and run by the program's own worker.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { createPerson } from "../../../testing/people.ts";
import { topologyRuns } from "../testing/topology-runs.ts";

let app: TestApp;
let { apply, again, componentsOf, save, runs, ranAfter } = {} as ReturnType<typeof topologyRuns>;
let target: Server;
let url: string;
/** What the target answers to a path, as JSON or as these bytes; a promise keeps it waiting. */
const answers = new Map<string, () => unknown>();
/** What was posted, by path. */
const posted = new Map<string, { body: string; authorization: string | undefined }[]>();

beforeAll(async () => {
  target = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      const path = request.url ?? "";
      if (request.method === "POST")
        posted.set(path, [
          ...(posted.get(path) ?? []),
          { body, authorization: request.headers.authorization },
        ]);
      const answer = answers.get(path);
      void Promise.resolve(answer?.()).then((value) =>
        response
          .writeHead(answer ? 200 : 404)
          .end(Buffer.isBuffer(value) ? value : JSON.stringify(value ?? null)),
      );
    });
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  app = await startTestApp();
  ({ apply, again, componentsOf, save, runs, ranAfter } = topologyRuns(app));
});
afterAll(async () => {
  target.closeAllConnections();
  await new Promise((resolve) => target.close(resolve));
  await app.stop();
});

/** A lookup of what the target answers to a path: JSON, as its text. */
const from = (path: string, more: object = {}) => ({
  http: [{ name: path, url: `${url}${path}`, display: { expr: "content" }, ...more }],
});
const tree = (rows: readonly { name: string; parent: string | null }[]) =>
  rows.map(({ name, parent }) => `${parent ?? ""}/${name}`).toSorted();

test("a tree that is written down: ids stay, what is left out is ended and comes back with its id", async () => {
  const spec = (inner: object[]) => ({
    type: "Shop",
    icon: "shop",
    components: [{ name: "web", type: "Tier", owner: "front", components: inner }],
    properties: [{ name: "url", text: "https://shop.example", type: "url" }],
  });
  const { id, run } = await apply(
    spec([{ name: "a" }, { name: "b", health: "unhealthy" }]),
    "written",
  );
  expect(run).toMatchObject({
    status: "SUCCESS",
    success_count: 4,
    details: { summary: { components: 4, added: 4, changed: 0, removed: 0 } },
  });
  const first = await componentsOf(id);
  expect(tree(first)).toEqual(["/written", "web/a", "web/b", "written/web"]);
  expect(first.find(({ name }) => name === "written")).toMatchObject({
    type: "Shop",
    health: "unhealthy",
    properties: [{ name: "url", text: "https://shop.example", type: "url" }],
  });
  const left = await apply(spec([{ name: "a", icon: "new" }]), "written");
  expect(left.run.details.summary).toEqual({ components: 3, added: 0, changed: 1, removed: 1 });
  expect((await componentsOf(id)).find(({ name }) => name === "written")?.health).toBe("unknown");
  const back = await apply(spec([{ name: "a", icon: "new" }, { name: "b" }]), "written");
  expect(back.run.details.summary).toEqual({ components: 4, added: 0, changed: 1, removed: 0 });
  const idOf = (rows: typeof first, wanted: string) => rows.find(({ name }) => name === wanted)!.id;
  const last = await componentsOf(id);
  expect(idOf(last, "b")).toBe(idOf(first, "b"));
  // Nothing differs: nothing is written.
  expect((await again(id)).details.summary).toEqual({
    components: 4,
    added: 0,
    changed: 0,
    removed: 0,
  });
  const path = await app.db.first<{ path: string }>(
    sql`select path from components where id = ${idOf(last, "b")}`,
  );
  expect(path!.path).toBe(`${idOf(last, "written")}.${idOf(last, "web")}`);
  expect((await app.admin.delete("/api/documents/topologies/written")).status).toBe(200);
  expect(await componentsOf(id)).toEqual([]);
});

test("components by lookup, with forEach, and properties in all three shapes", async () => {
  answers.set("/pods", () => [
    {
      name: "pod-1",
      type: "Pod",
      properties: [{ name: "cpu", unit: "millicores" }],
      labels: { app: "x" },
    },
    {
      name: "pod-2",
      type: "Pod",
      status_reason: "evicted",
      health: "warning",
      external_id: "uid-2",
    },
  ]);
  answers.set("/metrics", () => [
    { name: "pod-1", properties: [{ name: "cpu", value: 250 }] },
    { name: "pod-9", properties: [{ name: "cpu", value: 1 }] },
  ]);
  answers.set("/facts", () => [
    { name: "company", text: "Acme" },
    { name: "floor", value: 3 },
  ]);
  answers.set("/of/pod-1", () => "one");
  answers.set("/of/pod-2", () => "two");
  const { id, run } = await apply({
    components: [
      {
        name: "pods",
        type: "virtual",
        components: [
          {
            name: "found",
            icon: "pod",
            lookup: from("/pods"),
            id: { expr: "self.type + '/' + self.name" },
            properties: [
              { name: "metrics", lookup: from("/metrics") },
              { name: "facts", lookup: from("/facts") },
              { name: "all", text: "of all" },
            ],
            forEach: {
              properties: [
                {
                  name: "own",
                  lookup: from("/of/$(.component.name)", { display: { expr: "json" } }),
                },
                { name: "called", text: "I am ${.component.name}" },
              ],
              components: [
                {
                  name: "$(.component.name)-volume",
                  components: [{ name: "deep-$(.properties.called)" }],
                },
              ],
            },
          },
        ],
      },
    ],
  });
  expect(run.details.errors ?? []).toEqual([]);
  expect(run.details.warnings).toEqual([
    "components.0.components.0.properties.metrics: there is no component called pod-9.",
  ]);
  const rows = await componentsOf(id);
  expect(tree(rows)).toEqual([
    "/topology-1",
    "pod-1-volume/deep-I am pod-1",
    "pod-1/pod-1-volume",
    "pod-2-volume/deep-I am pod-2",
    "pod-2/pod-2-volume",
    "topology-1/pod-1",
    "topology-1/pod-2",
  ]);
  const properties = (name: string) =>
    Object.fromEntries(
      rows
        .find((row) => row.name === name)!
        .properties!.map((one) => [one.name, one.text ?? one.value]),
    );
  expect(properties("pod-1")).toEqual({
    cpu: 250,
    own: "one",
    called: "I am pod-1",
    company: "Acme",
    floor: 3,
    all: "of all",
  });
  expect(properties("pod-2")).toMatchObject({ own: "two", company: "Acme" });
  expect(rows.find(({ name }) => name === "pod-1")!.external_id).toBe("Pod/pod-1");
  expect(rows.find(({ name }) => name === "pod-2")).toMatchObject({
    external_id: "uid-2",
    health: "warning",
  });
});

test("a lookup that fails ends nothing, and says why; when it works again the rest follows", async () => {
  answers.set("/hosts", () => [{ name: "h1" }, { name: "h2" }]);
  const spec = { components: [{ name: "hosts", lookup: from("/hosts") }, { name: "fixed" }] };
  const { id } = await apply(spec, "failing");
  answers.set("/hosts", () => [{ nme: "h1" }]);
  const bad = await again(id);
  expect(bad.status).toBe("WARNING");
  expect(bad.details.errors).toEqual([
    expect.stringMatching(/^components\.0\.lookup: result 1\.name: /),
  ]);
  expect(tree(await componentsOf(id))).toContain("failing/h2");
  answers.delete("/hosts");
  expect((await again(id)).details.errors).toEqual([
    expect.stringMatching(/^components\.0\.lookup: http \/hosts: .*404/),
  ]);
  expect(tree(await componentsOf(id))).toContain("failing/h2");
  answers.set("/hosts", () => [{ name: "h1" }]);
  expect((await again(id)).details.summary).toMatchObject({ removed: 1 });
  expect(tree(await componentsOf(id))).toEqual(["/failing", "failing/fixed", "failing/h1"]);
});

test("rows of a table by SQL, items of the catalog by tag, and one tree for each value", async () => {
  const [scraper] = await app.db.rows<{ id: string }>(sql`
    insert into config_scrapers (name, spec) values ('t', '{}') returning id`);
  await app.db.run(sql`
    insert into config_items (name, type, config_class, tags, config, scraper_id, health)
    select n, 'Kubernetes::Node', 'Node', jsonb_build_object('cluster', c), jsonb_build_object('cpus', 4), ${scraper!.id}, 'healthy'
      from (values ('n1', 'prod'), ('n2', 'prod'), ('n3', 'test')) v (n, c)`);
  const nodes = {
    catalog: [
      {
        selector: [{ types: ["Kubernetes::Node"] }],
        display: { expr: "dyn(results).map(r, {'name': r.name, 'configID': r.id}).toJSON()" },
      },
    ],
  };
  const { id, run } = await apply(
    {
      groupBy: { tag: "cluster" },
      components: [
        {
          name: "nodes",
          lookup: nodes,
          forEach: {
            properties: [
              {
                name: "cpus",
                configLookup: { config: { name: "$(.component.name)" }, field: "$.cpus" },
              },
            ],
            configs: [{ name: "$(.component.name)", type: "Kubernetes::Node" }],
          },
        },
      ],
    },
    "clusters",
  );
  expect(run.details.errors ?? []).toEqual([]);
  const rows = await componentsOf(id);
  expect(tree(rows)).toEqual([
    "/clusters (prod)",
    "/clusters (test)",
    "clusters (prod)/n1",
    "clusters (prod)/n2",
    "clusters (test)/n3",
  ]);
  expect(rows.find(({ name }) => name === "n3")!.properties).toEqual([{ name: "cpus", text: "4" }]);
  const linked = await app.db.rows<{ component: string; item: string }>(sql`
    select c.name as component, i.name as item from config_component_relationships r
      join components c on c.id = r.component_id join config_items i on i.id = r.config_id
     where c.topology_id = ${id} and r.deleted_at is null order by 1`);
  expect(linked).toEqual(["n1", "n2", "n3"].map((name) => ({ component: name, item: name })));
});

test("checks of components run as canaries of their own, and end with them", async () => {
  answers.set("/up", () => "fine");
  const spec = {
    components: [
      {
        name: "api",
        checks: [
          {
            inline: {
              schedule: "@every 1h",
              http: [{ name: "up", url: `${url}/up`, password: "s3cret-of-check" }],
            },
          },
        ],
      },
      { name: "all", checks: [{ selector: { name: "up" } }] },
    ],
  };
  const { id } = await apply(spec, "checked");
  const rows = await componentsOf(id);
  const api = rows.find(({ name }) => name === "api")!;
  const canary = await app.db.first<{ id: string; spec: object; source: string }>(
    sql`select id, spec, source from canaries where source = ${`component/${api.id}`} and deleted_at is null`,
  );
  expect(JSON.stringify(canary)).not.toContain("s3cret-of-check");
  const shown = await app.admin.get(`/api/db/components?id=eq.${api.id}`);
  expect(shown.text).toContain('"inline"');
  expect(shown.text).not.toContain("s3cret-of-check");
  const related = () =>
    app.db.rows<{ component: string; name: string }>(sql`
      select c.name as component, k.name from check_component_relationships r
        join components c on c.id = r.component_id join checks k on k.id = r.check_id
       where c.topology_id = ${id} and r.deleted_at is null order by 1`);
  await again(id);
  expect(await related()).toEqual([
    { component: "all", name: "up" },
    { component: "api", name: "up" },
  ]);
  await apply({ components: [{ name: "api" }, { name: "all" }] }, "checked");
  expect(await related()).toEqual([]);
  expect(
    await app.db.first(sql`select from canaries where id = ${canary!.id} and deleted_at is null`),
  ).toBeUndefined();
});

test("a check that cannot be read any more keeps its last good canary, and says so", async () => {
  const find = (text: string) => answers.set("/named", () => [{ name: "api", text }]);
  const check = (address: string) => ({
    inline: { schedule: "@every 1h", http: [{ name: "up", url: address }] },
  });
  const written = (...checks: object[]) => ({
    components: [{ name: "found", lookup: from("/named"), forEach: { checks } }],
  });
  const [usual, looked] = [check(`${url}/one`), check("$(component.text)")];
  find(`${url}/two`);
  const { id } = await apply(written(usual, looked), "kept");
  const canaries = () =>
    app.db.rows<{ id: string; address: string }>(sql`
      select k.id, k.spec #>> '{http,0,url}' as address from canaries k
        join components c on k.source = 'component/' || c.id
       where c.topology_id = ${id} and k.deleted_at is null order by k.name`);
  const first = await canaries();
  expect(first.map(({ address }) => address)).toEqual([`${url}/one`, `${url}/two`]);
  find("whenever");
  const run = await again(id);
  expect(run.details.errors).toEqual([
    expect.stringMatching(/^api, checks\.1 cannot be read, so what there was of it stays: .*url/),
  ]);
  expect(await canaries()).toEqual(first);
  // What is left out ends all the same.
  find(`${url}/two`);
  const { run: last } = await apply(written(usual), "kept");
  expect(last.details.errors ?? []).toEqual([]);
  expect(await canaries()).toEqual(first.slice(0, 1));
});

test("a lookup whose answer is nested too deep fails alone", async () => {
  const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  const component = `{"name":"n","properties":[{"name":"p","text":"t","more":${deep}}]}`;
  answers.set("/deep", () => Buffer.from(component));
  answers.set("/fine", () => [{ name: "fine" }]);
  const { id, run } = await apply(
    {
      components: [
        { name: "text", lookup: from("/deep") },
        { name: "object", lookup: from("/deep", { display: undefined }) },
        { name: "read", lookup: from("/deep", { display: { expr: "content.JSON().properties" } }) },
        { name: "written", properties: [{ name: "p", lookup: from("/deep") }] },
        { name: "ok", lookup: from("/fine") },
      ],
    },
    "deep",
  );
  const tooDeep = "What was found is nested more than 500 levels deep.";
  expect(run.details.errors).toEqual([
    `components.0.lookup: ${tooDeep}`,
    expect.stringMatching(/^components\.1\.lookup: /),
    "components.2.lookup: http /deep: display: cel:1:9: the values are nested too deeply",
    `components.3.properties.p: ${tooDeep}`,
  ]);
  expect(tree(await componentsOf(id))).toEqual(["/deep", "deep/fine", "deep/written"]);
});

test("a script that says nothing gives no id and no text: the name is the id", async () => {
  const nothing = [{ javascript: "properties.nothing" }, { expr: "null" }];
  const { id, run } = await apply({
    components: nothing.map((script, n) => ({
      name: `c${n}`,
      id: script,
      properties: [{ name: "said", summary: script }],
    })),
  });
  expect(run.details.errors ?? []).toEqual([]);
  const found = (await componentsOf(id)).filter(({ name }) => /^c\d$/.test(name));
  expect(found.map((one) => [one.external_id, one.properties])).toEqual([
    ["c0", [{ name: "said" }]],
    ["c1", [{ name: "said" }]],
  ]);
});

test("of thousands of mistakes of one kind the first are told, and how many more there are", async () => {
  answers.set("/mistaken", () =>
    Array.from({ length: 2_000 }, (_, n) => ({
      name: `c${n % 1_000}`,
      type: n < 1_000 ? "A" : "B",
      parentLookup: { name: "nowhere" },
      relationships: [{ ref: "nobody" }],
    })).flatMap((one) => [one, { ...one, external_id: "twin" }]),
  );
  const { run } = await apply(
    {
      components: [
        {
          name: "found",
          type: "virtual",
          components: [{ name: "all", lookup: from("/mistaken") }],
        },
      ],
    },
    "mistaken",
  );
  const warnings = run.details.warnings ?? [];
  expect(warnings.filter((text) => text.includes('parent is to be "nowhere"'))).toHaveLength(100);
  expect(warnings.filter((text) => text.includes('belong to "nobody"'))).toHaveLength(100);
  expect(warnings.filter((text) => text.startsWith("There are 2 components"))).toHaveLength(100);
  expect(warnings).toContain("There are 3900 more like these.");
  expect(warnings.filter((text) => text === "There are 1900 more like these.")).toHaveLength(2);
  expect(warnings).toHaveLength(303);
});

test("parents that are looked up, several of them, and what cannot be", async () => {
  const { id, run } = await apply(
    {
      components: [
        {
          name: "one",
          type: "A",
          components: [
            { name: "moved", parentLookup: { name: "two", type: "B" } },
            { name: "both", relationships: [{ type: "dependency", ref: "two" }] },
            { name: "lost", parentLookup: { name: "nowhere" } },
          ],
        },
        { name: "two", type: "B" },
        { name: "round", parentLookup: { name: "inner" }, components: [{ name: "inner" }] },
        { name: "two", type: "B" },
      ],
    },
    "parents",
  );
  expect(tree(await componentsOf(id))).toEqual([
    "/parents",
    "one/both",
    "one/lost",
    "parents/one",
    "parents/round",
    "parents/two",
    "round/inner",
    "two/moved",
  ]);
  const ties = await app.db.rows<{ child: string; above: string }>(sql`
    select c.name as child, p.name as above from component_relationships r
      join components c on c.id = r.component_id join components p on p.id = r.relationship_id
     where c.topology_id = ${id} and r.deleted_at is null`);
  expect(ties).toEqual([{ child: "both", above: "two" }]);
  expect(run.details.warnings).toEqual([
    'lost: its parent is to be "nowhere", and there is no such component in this topology: it stays where it was.',
    'round: its parent is to be "inner", and that one lies below it: it stays where it was.',
    'There are 2 components "two" of type B in "parents": the first of them is kept.',
  ]);
});

describe("what comes from a target is believed little", () => {
  test.each<[string, unknown, string]>([
    ["no object", ["text"], "is no component"],
    ["a name too long", [{ name: "x".repeat(300) }], "longer than 253"],
    ["no list of properties", [{ name: "a", properties: "x" }], "properties"],
    [
      "levels without end",
      [JSON.parse(`${'{"name":"n","components":['.repeat(40)}${"]}".repeat(40)}`)],
      "at most",
    ],
    [
      "too many",
      Array.from({ length: 20_001 }, (_, index) => ({ name: `c${index}` })),
      "more than 20000",
    ],
  ])("%s", async (name, answer, message) => {
    answers.set("/hostile", () => answer);
    const { id, run } = await apply(
      { components: [{ name: "x", lookup: from("/hostile") }] },
      `hostile ${name}`,
    );
    expect(run.details.errors?.join()).toContain(message);
    expect((await componentsOf(id)).filter(({ name: one }) => !one.startsWith("hostile"))).toEqual(
      [],
    );
  });

  test("programs in what was found are not run", async () => {
    answers.set("/programs", () => [
      {
        name: "evil",
        componentChecks: [
          { inline: { exec: [{ name: "e", script: "id" }] } },
          { selector: { name: "no" } },
        ],
      },
    ]);
    const { id } = await apply({ components: [{ name: "x", lookup: from("/programs") }] });
    const row = await app.db.first<{ component_checks: unknown }>(
      sql`select component_checks from components where topology_id = ${id} and name = 'evil'`,
    );
    expect(row!.component_checks).toEqual([{ selector: { name: "no" } }]);
  });

  test("a script that never ends is told, and the rest is there", async () => {
    answers.set("/fine", () => [{ name: "fine" }]);
    const { id, run } = await apply({
      components: [
        { name: "x", lookup: from("/fine"), id: { javascript: "while (true) {}" } },
        { name: "other" },
      ],
    });
    expect(run.details.errors?.join()).toMatch(/components\.0\.id: id: javascript.*long/);
    expect(tree(await componentsOf(id)).length).toBe(3);
  });

  test.each([
    ["a regular expression", 'String(/^(a+)+$/.test("a".repeat(60) + "!"))'],
    ["a loop", "while (true) {}"],
  ])(
    "%s that never ends in what shows a lookup fails alone, and ends nothing",
    async (what, javascript) => {
      answers.set("/shown", () => [{ name: "shown" }]);
      const spec = (display: object) => ({
        components: [{ name: "x", lookup: from("/shown", { display }) }, { name: "other" }],
      });
      const name = `endless ${what}`;
      const { id } = await apply(spec({ expr: "content" }), name);
      const before = await componentsOf(id);
      const { run } = await apply(spec({ javascript }), name);
      expect(run).toMatchObject({ status: "WARNING" });
      expect(run.details.errors).toEqual([
        expect.stringMatching(/^components\.0\.lookup: http \/shown: display: javascript.*long/),
      ]);
      expect(await componentsOf(id)).toEqual(before);
      expect(tree(before)).toContain(`${name}/shown`);
    },
  );

  test("too many of them leave what was there as it was", async () => {
    answers.set("/growing", () => [{ name: "few" }]);
    const { id } = await apply(
      { components: [{ name: "x", lookup: from("/growing") }] },
      "growing",
    );
    const before = await componentsOf(id);
    const many = (count: number) =>
      answers.set("/growing", () => Array.from({ length: count }, (_, n) => ({ name: `c${n}` })));
    many(20_001);
    expect((await again(id)).details.errors).toEqual([
      expect.stringMatching(/more than 20000 components: nothing of this run was saved/),
    ]);
    expect(await componentsOf(id)).toEqual(before);
    many(50_000);
    expect((await again(id)).details.errors).toEqual([
      expect.stringMatching(/more than 20000 components: nothing of this run was saved/),
    ]);
    expect(await componentsOf(id)).toEqual(before);
    expect(tree(before)).toEqual(["/growing", "growing/few"]);
  });
});

describe("components that make a circle of three", () => {
  const name = ["a", "b", "c"];
  const next = ["b", "c", "a"];
  /** Each once within itself, and none longer than the circle. */
  const shown = async (id: string) => {
    const [root] = (await componentsOf(id)).filter(({ parent }) => parent === null);
    const reply = await app.admin.get(`/api/topology?id=${root!.id}&depth=64`);
    expect(reply.status, reply.text).toBe(200);
    const draw = (components: { name: string; components?: [] }[] = []): string =>
      components
        .toSorted((one, other) => one.name.localeCompare(other.name))
        .map((one) => (one.components ? `${one.name}(${draw(one.components)})` : one.name))
        .join(" ");
    return draw((reply.json as { components: [] }).components);
  };

  test.each([
    [
      "relationships",
      (n: number) => ({ relationships: [{ ref: next[n] }] }),
      "a(c(b)) b(a(c)) c(b(a))",
    ],
    [
      "selectors",
      (n: number) => ({ selectors: [{ labelSelector: `ring=${next[n]}` }] }),
      "a(b(c)) b(c(a)) c(a(b))",
    ],
  ])("by %s are synced, judged, shown, and told", async (how, tie, drawn) => {
    const { id, run } = await apply(
      {
        components: name.map((one, n) => ({
          name: one,
          labels: { ring: one },
          health: one === "b" ? "unhealthy" : "healthy",
          ...tie(n),
        })),
      },
      `circle by ${how}`,
    );
    expect(run.status).toBe("SUCCESS");
    const told = (warnings: readonly string[] = []) => warnings.toSorted();
    const circles = told(run.details.warnings);
    expect(circles.length).toBeGreaterThan(0);
    for (const one of circles)
      expect(one).toMatch(/^[abc]: It hangs on itself by way of [abc]: that tie does not count\.$/);
    expect((await componentsOf(id)).map(({ name: one, health }) => `${one} ${health}`)).toContain(
      "b unhealthy",
    );
    expect(await shown(id)).toBe(`circle by ${how}(${drawn})`);
    // So it is in every run that follows.
    const { details } = await again(id);
    expect(details.summary).toMatchObject({ added: 0, changed: 0, removed: 0 });
    expect(told(details.warnings)).toEqual(circles);
    await app.db.run(sql`update components set deleted_at = now() where topology_id = ${id}`);
  });
});

test("what was built is sent to another server, as it is", async () => {
  answers.set("/push", () => "thanks");
  const { run } = await apply({
    push: { url: `${url}/push`, bearer: { value: "token-of-push" } },
    components: [{ name: "a", tooltip: "{{.secret}} $(.more)", components: [{ name: "b" }] }],
  });
  expect(run.details.errors ?? []).toEqual([]);
  const [sent] = posted.get("/push")!;
  expect(sent!.authorization).toBe("Bearer token-of-push");
  expect(JSON.parse(sent!.body)).toMatchObject({
    components: [{ name: "a", tooltip: "{{.secret}} $(.more)", components: [{ name: "b" }] }],
  });
});

test("several roots are sent together, and nothing while something could not be looked up", async () => {
  answers.set("/push-list", () => "thanks");
  answers.set("/sometimes", () => [{ name: "found" }]);
  const spec = {
    type: "virtual",
    push: { url: `${url}/push-list` },
    components: [{ name: "one" }, { name: "two", lookup: from("/sometimes") }],
  };
  const { id, run } = await apply(spec);
  expect(run.details.errors ?? []).toEqual([]);
  expect(posted.get("/push-list")!.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    [
      expect.objectContaining({ name: "one", topology_id: id }),
      expect.objectContaining({ name: "found", topology_id: id }),
    ],
  ]);
  answers.delete("/sometimes");
  const failed = await again(id);
  expect(failed.details.errors?.join()).toContain("components.1.lookup");
  expect(failed.details.warnings).toContain(
    "push: nothing was sent, because not everything could be looked up.",
  );
  expect(posted.get("/push-list")).toHaveLength(1);
});

test("a search of the catalog that is none is a failure of its property alone", async () => {
  const { id, run } = await apply({
    components: [
      {
        name: "a",
        properties: [
          { name: "node", configLookup: { config: { search: "created>" }, field: "$.x" } },
          { name: "fine", text: "yes" },
        ],
      },
      { name: "b" },
    ],
  });
  expect(run.status).toBe("WARNING");
  expect(run.details.errors).toEqual([
    expect.stringContaining("components.0.properties.node: selector"),
  ]);
  const found = await componentsOf(id);
  expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(["a", "b"]));
  expect(found.find(({ name }) => name === "a")!.properties).toEqual([
    { name: "fine", text: "yes" },
  ]);
});

test("a run that goes on is aborted, and nothing of it is saved", async () => {
  let asked: (() => void) | undefined;
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  answers.set("/slow", () => {
    asked!();
    return new Promise(() => undefined);
  });
  const id = await save(
    { components: [{ name: "x", lookup: from("/slow", { timeout: "5m" }) }, { name: "y" }] },
    "aborted",
  );
  await isAsked;
  const viewer = await createPerson(app, "viewer");
  expect((await viewer.post(`/api/topology/${id}/abort`, {})).status).toBe(403);
  expect((await app.admin.post(`/api/topology/${id}/abort`, {})).status).toBe(202);
  const run = await ranAfter(id, undefined);
  expect(run).toMatchObject({
    status: "FAILED",
    details: { errors: ["Somebody has aborted the run."] },
  });
  expect(await componentsOf(id)).toEqual([]);
  expect((await app.admin.post(`/api/topology/${id}/abort`, {})).status).toBe(409);
  expect((await runs(id)).length).toBe(1);
});

test("tried out: the tree, what would change, and nothing stored", async () => {
  answers.set("/tried", () => [{ name: "new" }]);
  const { id } = await apply({ components: [{ name: "old" }, { name: "same" }] }, "tried");
  const before = await componentsOf(id);
  const document = (components: object[]) =>
    JSON.stringify({
      apiVersion: "canaries.flanksource.com/v1",
      kind: "Topology",
      metadata: { name: "tried" },
      spec: { schedule: "@every 1h", components },
    });
  const reply = await app.admin.post("/api/topology/run/document", {
    document: document([
      { name: "same", icon: "other" },
      { name: "x", lookup: from("/tried") },
    ]),
  });
  expect(reply.status, reply.text).toBe(200);
  expect(reply.json).toMatchObject({
    results: [
      {
        topology: "default/tried",
        complete: true,
        count: 3,
        components: [
          { name: "tried", components: [{ name: "same", icon: "other" }, { name: "new" }] },
        ],
        changes: {
          added: { count: 1, names: ["tried / new"] },
          changed: { count: 1, names: ["tried / same"] },
          removed: { count: 1, names: ["tried / old"] },
        },
        errors: [],
      },
    ],
  });
  expect(await componentsOf(id)).toEqual(before);
  const responder = await createPerson(app, "editor");
  const exec = { exec: [{ name: "e", script: "id" }] };
  const refused = await responder.post("/api/topology/run/document", {
    document: document([{ name: "x", lookup: exec }]),
  });
  expect(refused.status).toBe(403);
  expect(refused.text).toContain("spec.components.0.lookup.exec.0");
});

describe("components that another server pushes", () => {
  const id = "0190aaaa-0000-4000-8000-000000000001";
  const rootId = "0190aaaa-0000-4000-8000-0000000000aa";
  const push = (body: unknown, agent = "") => app.admin.post(`/api/push/topology${agent}`, body);
  const pushed = (components: object[], more: object = {}) => ({
    id: rootId,
    topology_id: id,
    name: "shop",
    external_id: "shop",
    components,
    ...more,
  });

  test("keep their ids under their names and external ids, and end when they are left out", async () => {
    const first = await push(
      pushed([{ name: "a", external_id: "x1", health: "unhealthy" }, { name: "b" }]),
    );
    expect(first.status, first.text).toBe(200);
    expect(first.json).toMatchObject({ message: "success", payload: { name: "shop" } });
    const before = await componentsOf(id);
    expect(tree(before)).toEqual(["/shop", "shop/a", "shop/b"]);
    expect(before.find(({ name }) => name === "shop")).toMatchObject({
      id: rootId,
      health: "unhealthy",
    });
    expect(
      (await push(pushed([{ name: "a renamed", external_id: "x1", health: "healthy" }]))).status,
    ).toBe(200);
    const after = await componentsOf(id);
    expect(tree(after)).toEqual(["/shop", "shop/a renamed"]);
    expect(after[1]!.id).toBe(before.find(({ name }) => name === "a")!.id);
    expect(after.find(({ name }) => name === "shop")!.health).toBe("healthy");
  });

  test("are refused where they cannot be taken, and nothing of them is kept", async () => {
    const before = await componentsOf(id);
    const deep = (levels: number): object[] =>
      levels === 0 ? [] : [{ name: `l${levels}`, components: deep(levels - 1) }];
    expect((await push(pushed(deep(25)))).text).toContain("within one another 20 times");
    expect((await push(pushed([{ nme: "a" }]))).status).toBe(400);
    expect((await push({ name: "no topology" })).status).toBe(400);
    expect((await push(pushed([]), "?agentName=nobody")).text).toContain(
      'no agent called \\"nobody\\"',
    );
    const own = await apply({ components: [{ name: "mine" }] }, "own");
    expect((await push({ ...pushed([]), topology_id: own.id })).status).toBe(409);
    expect(
      (await push({ ...pushed([]), topology_id: "0190aaaa-0000-4000-8000-000000000002" })).status,
    ).toBe(409);
    const viewer = await createPerson(app, "viewer");
    expect((await viewer.post("/api/push/topology", pushed([]))).status).toBe(403);
    expect(await componentsOf(id)).toEqual(before);
    expect(tree(await componentsOf(own.id))).toEqual(["/own", "own/mine"]);
  });

  test("of several topologies all are taken, or none", async () => {
    const [first, second] = [3, 4].map((n) => `0190aaaa-0000-4000-8000-00000000010${n}`);
    const own = await apply({ components: [{ name: "mine" }] }, "own too");
    const good = { topology_id: first, name: "good", components: [{ name: "inner" }] };
    for (const bad of [
      { topology_id: own.id, name: "not yours" },
      { topology_id: second, name: "bad", components: [{ nme: "x" }] },
      { topology_id: second, name: "good" },
    ]) {
      const reply = await push([good, bad]);
      expect(reply.status, reply.text).toBeGreaterThanOrEqual(400);
      expect(await componentsOf(first!)).toEqual([]);
      expect(
        await app.db.rows(sql`select from topologies where id = any (${[first, second]}::uuid[])`),
      ).toEqual([]);
    }
    const reply = await push([good, { topology_id: second, name: "better" }]);
    expect(reply.status, reply.text).toBe(200);
    expect(tree(await componentsOf(first!))).toEqual(["/good", "good/inner"]);
    expect(tree(await componentsOf(second!))).toEqual(["/better"]);
  });

  test("several trees of one topology at once", async () => {
    const two = "0190aaaa-0000-4000-8000-000000000003";
    const reply = await push([
      { topology_id: two, name: "one" },
      { topology_id: two, name: "two", components: [{ name: "inner" }] },
    ]);
    expect(reply.status, reply.text).toBe(200);
    expect(tree(await componentsOf(two))).toEqual(["/one", "/two", "two/inner"]);
  });

  test("stand within one another twenty times, and no more", async () => {
    const topology = "0190aaaa-0000-4000-8000-000000000020";
    const levels = (count: number): object => ({
      topology_id: topology,
      name: `l${count}`,
      ...(count > 1 && { components: [levels(count - 1)] }),
    });
    const refused = await push(levels(21));
    expect([refused.status, refused.json.error]).toEqual([
      400,
      expect.stringMatching(
        /^component 1(\.components\.0){20}: components stand within one another 20 times at most\.$/,
      ),
    ]);
    expect(await app.db.rows(sql`select from topologies where id = ${topology}`)).toEqual([]);
    const taken = await push(levels(20));
    expect(taken.status, taken.text).toBe(200);
    const before = await componentsOf(topology);
    expect(before).toHaveLength(20);
    expect((await push(levels(21))).status).toBe(400);
    expect(await componentsOf(topology)).toEqual(before);
  });
});
