import type { TrialComponent } from "@mainstay/contract/topology-trial.ts";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { createPerson, type TestPerson } from "../../../testing/people.ts";

let app: TestApp;
let viewer: TestPerson;
/** Values of a tag that would be read as something else, wherever they were written into a text. */
const hostile = [
  'a"b',
  "c\nd: e",
  "{{ .component.name }}",
  "$(.component.name)",
  "${.properties.x}",
  "f,team=g",
  "'); throw new Error('run",
  "`${results}`",
  "secret://vault/key",
  "*",
  "!h",
];
const addItem = (
  name: string,
  tags: object,
  more: { type?: string; parent?: string; health?: string; labels?: object } = {},
) =>
  app.db.first<{ id: string }>(sql`
    insert into config_items (name, type, config_class, tags, labels, health, parent_id)
    values (${name}, ${more.type ?? "Test::Pod"}, 'X', ${JSON.stringify(tags)}, ${JSON.stringify(more.labels ?? {})},
            ${more.health ?? "healthy"}, ${more.parent ?? null}) returning id`);

beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  viewer = await createPerson(app, "viewer");
  const cluster = await addItem("cluster", {}, { type: "Test::Cluster" });
  const web = await addItem(
    "web",
    { app: "shop" },
    { type: "Test::Deployment", parent: cluster!.id, labels: { tier: "front" } },
  );
  await addItem("web-1", { app: "shop" }, { parent: web!.id, health: "unhealthy" });
  await addItem("web-2", { app: "shop" }, { parent: web!.id });
  await addItem("twin", { app: "bank", namespace: "one" });
  await addItem("twin", { app: "bank", namespace: "two" });
  for (const [place, value] of hostile.entries())
    await addItem(`hostile ${place}`, { odd: value, [`${value} key`]: "x" });
  // Each is part of the other.
  const hen = await addItem("hen", { circle: "x" });
  const egg = await addItem("egg", { circle: "x" }, { parent: hen!.id });
  await app.db.run(sql`update config_items set parent_id = ${egg!.id} where id = ${hen!.id}`);
});
afterAll(() => app.stop());

const propose = (wish: object, person = viewer) => person.post("/api/topology/propose", wish);
const tried = async (document: string) => {
  const reply = await app.admin.post("/api/topology/run/document", { document });
  const [result] = reply.json.results;
  expect([reply.status, result.errors, result.warnings]).toEqual([200, [], []]);
  return result.components as TrialComponent[];
};
const drawn = (components: readonly TrialComponent[] = []): string =>
  components
    .map(({ name, components: below }) => (below?.length ? `${name}(${drawn(below)})` : name))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join(" ");

test("tags, labels and types are offered with how much they cover, and those that cannot be named are counted", async () => {
  const { json } = await viewer.get("/api/topology/propose");
  expect(json.tags.slice(0, 3)).toEqual([
    { key: "odd", values: hostile.length, items: hostile.length },
    { key: "app", values: 2, items: 5 },
    { key: "circle", values: 1, items: 2 },
  ]);
  expect(json.labels).toEqual([{ key: "tier", values: 1, items: 1 }]);
  expect(json.types).toContainEqual({ type: "Test::Cluster", items: 1 });
  expect(json.unnamed).toBe(hostile.length);
});

test("by a tag there is a component for each value, with its items as they belong to one another", async () => {
  const { status, json } = await propose({ by: "tag", key: "app" });
  expect([status, json.name, json.covers]).toEqual([
    200,
    "by-app",
    { groups: 2, items: 5, leftOut: hostile.length + 3 },
  ]);
  expect(drawn(await tried(json.document))).toBe(
    "By app(bank(twin twin (two)) shop(web(web-1 web-2)))",
  );
  // None of what is there now is written down in it.
  expect(json.document).not.toMatch(/shop|twin|web/);
});

test("what is new appears by itself, and ill health is seen above", async () => {
  const { json } = await propose({ by: "tag", key: "app" });
  await addItem("late", { app: "new" });
  const [root] = await tried(json.document);
  expect(drawn(root!.components)).toContain("new(late)");
  const shop = root!.components!.find(({ name }) => name === "shop");
  expect(shop!.components![0]!.components!.map(({ name, health }) => [name, health])).toEqual([
    ["web-1", "unhealthy"],
    ["web-2", "healthy"],
  ]);
});

test("of some types, by a label, and by what belongs to what", async () => {
  const some = await propose({ by: "tag", key: "app", types: ["Test::Deployment"] });
  expect(drawn(await tried(some.json.document))).toBe("By app(shop(web))");
  const label = await propose({ by: "label", key: "tier" });
  expect(drawn(await tried(label.json.document))).toBe("By tier(front(web))");
  const owned = await propose({ by: "ownership", types: ["Test::Cluster", "Test::Deployment"] });
  expect([owned.json.name, drawn(await tried(owned.json.document))]).toEqual([
    "catalog",
    "Catalog(cluster(web))",
  ]);
  const all = await propose({ by: "ownership" });
  expect(drawn(await tried(all.json.document))).toContain("cluster(web(web-1 web-2))");
});

test("circles end", async () => {
  const { json } = await propose({ by: "tag", key: "circle" });
  const text = drawn(await tried(json.document));
  expect(["By circle(x(egg hen))", "By circle(x(hen egg))"]).toContain(text);
});

test("nothing that the catalog says is evaluated: it comes out as it is", async () => {
  const { json } = await propose({ by: "tag", key: "odd" });
  const [root] = await tried(json.document);
  expect(new Set(root!.components!.map(({ name }) => name))).toEqual(new Set(hostile));
  for (const value of hostile.filter((text) => text.length > 3))
    expect(json.document).not.toContain(value);
});

test("the document can be saved, its groups hold their items, and it takes no name that is there", async () => {
  const { json } = await propose({ by: "tag", key: "app" });
  expect(parse(json.document)).toMatchObject({ kind: "Topology", metadata: { name: "by-app" } });
  const saved = await app.admin.post("/api/documents", json.document, {
    "content-type": "application/yaml",
  });
  expect([saved.status, saved.text]).toEqual([200, expect.any(String)]);
  expect((await propose({ by: "tag", key: "app" })).json.name).toBe("by-app-2");
});

test.each([
  [{ by: "tag", key: 'a"b' }, 400],
  [{ by: "tag", key: "{{x}}" }, 400],
  [{ by: "tag", key: "$(x)" }, 400],
  [{ by: "tag", key: "a\nb" }, 400],
  [{ by: "tag", key: "a,b" }, 400],
  [{ by: "tag" }, 400],
  [{ by: "taste", key: "a" }, 400],
  [{ by: "tag", key: "a", types: ["'x'"] }, 400],
  [{ by: "tag", key: "nobody-has-it" }, 404],
  [{ by: "ownership", types: ["No::Such"] }, 404],
])("%j is answered with %i", async (wish, status) => {
  const reply = await propose(wish);
  expect([reply.status, typeof reply.json.error]).toEqual([status, "string"]);
});

test("nobody is told without signing in", async () => {
  expect((await app.nobody.get("/api/topology/propose")).status).toBe(401);
  expect((await app.nobody.post("/api/topology/propose", { by: "ownership" })).status).toBe(401);
});

test("more than a lookup finds is said", async () => {
  await app.db.run(sql`
    insert into config_items (name, type, config_class, tags)
    select 'many ' || n, 'Test::Many', 'X', '{"many": "x"}' from generate_series(1, 1200) n`);
  const { json } = await propose({ by: "tag", key: "many", types: ["Test::Many"] });
  expect([json.covers, json.notices]).toEqual([
    { groups: 1, items: 1000, leftOut: 200 },
    [
      "1200 items are meant, and one lookup finds 1000, by name: choose types, or write a lookup for each.",
    ],
  ]);
});
