import { parseTopologies } from "@mainstay/contract";
import { createEvaluator } from "@mainstay/scripting";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withoutCatalog } from "#platform/scripts/ask-catalog.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { topologyTrees } from "./topology-output.ts";
import { buildOnce } from "#features/topology/index.ts";

const target = createServer((_request, response) => {
  response.end(JSON.stringify([{ name: "n1", type: "Node", health: "healthy" }, { name: "n2" }]));
});
const evaluator = withoutCatalog(createEvaluator());
beforeAll(() => new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve)));
afterAll(async () => {
  target.close();
  await evaluator.close();
});

test("a document without a server: its tree, and what could not be looked up", async () => {
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  const { documents, problems } = parseTopologies(`
apiVersion: canaries.flanksource.com/v1
kind: Topology
metadata: { name: shop }
spec:
  components:
    - name: nodes
      lookup: { http: [{ url: "${url}", display: { expr: content } }] }
      forEach:
        components: [{ name: "disk of $(.component.name)" }]
    - name: web
      components: [{ name: front, properties: [{ name: team, text: blue }, { name: pods, value: 3 }] }]
    - name: items
      lookup: { catalog: [{ selector: [{ name: x }] }] }
`);
  expect(problems).toEqual([]);
  const result = await buildOnce(documents[0]!, {
    connector: createConnector(),
    signal: AbortSignal.timeout(30_000),
    evaluator,
  });
  expect(result.isComplete).toBe(false);
  expect(topologyTrees([result])).toBe(`default/shop: 7 components
shop
├── n1 (Node) healthy
│   └── disk of n1
├── n2
│   └── disk of n2
└── web
    └── front team=blue pods=3
error: components.2.lookup: ${result.errors[0]!.replace("components.2.lookup: ", "")}`);
  expect(result.errors).toEqual([
    expect.stringMatching(/^components\.2\.lookup: catalog .*catalog/),
  ]);
});
