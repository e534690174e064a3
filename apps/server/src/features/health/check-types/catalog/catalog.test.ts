import { expect, test } from "vitest";
import { createConnector } from "#platform/outbound/connector.ts";
import type { ConfigItems } from "../check-type.ts";
import { catalog } from "./catalog.ts";

const item = (name: string) => ({
  id: "1",
  name,
  type: "Kubernetes::Pod",
  status: "Running",
  health: "healthy",
  config: { spec: { replicas: 2 } },
});

function run(
  selector: object[],
  configItems?: ConfigItems,
  signal: AbortSignal = new AbortController().signal,
) {
  const spec = catalog.spec.parse({ name: "a", selector });
  const connector = createConnector();
  const input = { spec, namespace: "default", signal, timeoutMs: 1000, connector };
  return catalog.run({ ...input, ...(configItems && { configItems }) });
}

test("passes with what is selected, for a test to judge", async () => {
  const asked: unknown[] = [];
  const outcome = await run(
    [{ types: "Kubernetes::*", unknown: 1 }, { name: "a" }],
    async (all) => {
      asked.push(...all);
      return [item("front"), item("back")];
    },
  );
  expect(asked).toEqual([{ types: "Kubernetes::*" }, { name: "a" }]);
  expect(outcome).toMatchObject({
    pass: true,
    message: expect.stringMatching(/^2 items in/) as string,
    details: { count: 2, items: [{ name: "front", status: "Running" }, { name: "back" }] },
  });
  expect(outcome.data!()).toMatchObject({
    results: [{ name: "front", config: { spec: { replicas: 2 } } }, {}],
  });
});

test("a query of older documents asks for what it means, and its rows are where scripts look for them", async () => {
  const asked: unknown[] = [];
  const query = "SELECT * FROM config_items WHERE config_class = 'Certificate'";
  const spec = catalog.spec.parse({ name: "a", query });
  const outcome = await catalog.run({
    spec,
    namespace: "default",
    signal: new AbortController().signal,
    timeoutMs: 1000,
    connector: createConnector(),
    configItems: async (all) => {
      asked.push(...all);
      return [
        { ...item("front"), config_class: "Certificate" },
        { ...item("back"), config_class: "certificate" },
      ];
    },
  });
  expect(asked).toEqual([{ includeDeleted: true, fieldSelector: "config_class=Certificate" }]);
  expect(outcome).toMatchObject({ pass: true, details: { count: 1 } });
  expect(outcome.data!()).toMatchObject({ results: { count: 1, results: [{ name: "front" }] } });
  expect(catalog.endpoint(spec)).toBe(query);
});

test("nothing selected passes too, and of many some are kept", async () => {
  expect(await run([{ name: "x" }], async () => [])).toMatchObject({
    pass: true,
    details: { count: 0 },
  });
  const many = Array.from({ length: 1000 }, (_, at) => item(`${at}`.repeat(500)));
  const outcome = await run([{ name: "*" }], async () => many);
  expect(outcome).toMatchObject({ details: { note: "the first 100 are kept" } });
  expect(JSON.stringify(outcome.details).length).toBeLessThan(131_072);
});

test("a catalog that does not answer ends with the time", async () => {
  const never = () => new Promise<never>(() => undefined);
  expect(await run([{ name: "x" }], never, AbortSignal.timeout(100))).toMatchObject({
    pass: false,
    error: "timed out after 1000 ms",
  });
});

test("a selector that cannot be read, and no server to look into", async () => {
  const wrong = () => Promise.reject(new Error('selector.0.id: "x" is not an id'));
  expect(await run([{ id: "x" }], wrong)).toMatchObject({
    pass: false,
    error: 'selector.0.id: "x" is not an id',
  });
  expect(await run([{ id: "x" }])).toMatchObject({
    pass: false,
    invalid: true,
    error: "there is no catalog without a server: this check runs on one alone",
  });
  expect(catalog.spec.safeParse({ name: "a", selector: [] }).success).toBe(false);
});
