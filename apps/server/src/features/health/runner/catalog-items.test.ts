import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  await app.db.run(sql`
    insert into config_items (name, type, config_class, health, config) values
      ('front', 'Kubernetes::Pod', 'Pod', 'unhealthy', '{"spec":{"replicas":2}}'),
      ('back', 'Kubernetes::Pod', 'Pod', 'healthy', '{"spec":{"replicas":1}}')`);
});
afterAll(() => app.stop());

test("a check of the catalog sees its items, and a test judges them", async () => {
  const catalog = [
    { name: "all healthy", test: { expr: "dyn(results).all(item, item.health == 'healthy')" } },
    {
      name: "enough",
      test: { expr: "results[0].config.spec.replicas + results[1].config.spec.replicas == 3" },
    },
    { name: "two", display: { expr: "string(results.size()) + ' pods'" } },
  ].map((check) => ({ ...check, selector: [{ types: "Kubernetes::Pod" }] }));
  const wrong = { name: "wrong", selector: [{ id: "x" }] };
  const document = JSON.stringify({
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name: "catalog" },
    spec: { catalog: [...catalog, wrong] },
  });
  const reply = await app.admin.post("/api/canary/run/document", { document });
  expect(reply.status, reply.text).toBe(200);
  expect(reply.json.results).toMatchObject([
    { name: "all healthy", pass: false },
    { name: "enough", pass: true },
    { name: "two", pass: true, message: "2 pods" },
    { name: "wrong", pass: false, error: expect.stringContaining('"x" is not an id') as string },
  ]);
});

test("any script of a check may ask the catalog", async () => {
  const document = JSON.stringify({
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name: "asking", labels: { type: "Pod", wanted: "front" } },
    spec: {
      catalog: [
        {
          name: "judged",
          selector: [
            { name: '{{ (catalog_query_one (print "name=" .canary.labels.wanted)).name }}' },
          ],
          test: { expr: "catalog.query('type=Kubernetes::' + canary.labels.type).size() == 3" },
          display: { template: '{{ range catalog_query "health=unhealthy" }}{{ .name }}{{ end }}' },
        },
        {
          name: "made",
          selector: [{ name: "front" }],
          transform: {
            expr: "catalog.query('type=Kubernetes::Pod').map(i, {'name': i.name, 'pass': i.health == 'healthy'}).toJSON()",
          },
        },
        {
          name: "wrong",
          selector: [{ name: "front" }],
          display: { expr: "catalog.query({'nmae': 'front'})" },
        },
      ],
    },
  });
  const reply = await app.admin.post("/api/canary/run/document", { document });
  expect(reply.status, reply.text).toBe(200);
  expect(
    reply.json.results.map(({ name, pass, message, error }: Record<string, unknown>) => [
      name,
      pass,
      error ?? message ?? "",
    ]),
  ).toEqual([
    ["judged", false, "front"],
    ["made", true, expect.stringContaining("1 item in")],
    ["back", true, ""],
    ["front", false, ""],
    ["wrong", false, expect.stringContaining('Unrecognized key: "nmae"')],
  ]);
});
