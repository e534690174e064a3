import {
  clusterKinds,
  everything,
  kubeconfigOf,
  type KubernetesServer,
  startKubernetes,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type AskOptions, askBackend } from "../testing/ask-backend.ts";
import { kubernetes } from "./kubernetes.ts";

/** The stand-in of a Kubernetes API server, which serves logs with sinceTime, tailLines, timestamps and limitBytes. */

const token = "sesame-token-of-logs";
const printed = new Map<string, string>();
let server: KubernetesServer;
beforeAll(async () => {
  server = await startKubernetes({
    kinds: clusterKinds,
    accounts: {
      [token]: { user: "logs", rules: [everything] },
      "token-of-a-guest": { user: "guest", rules: [{ verbs: ["list"], resources: ["pods"] }] },
    },
    log: (pod, container) => printed.get(`${pod.metadata.name}/${container}`),
  });
  const pod = (name: string, namespace: string, labels: object, containers: string[]) =>
    server.add({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace, labels },
      spec: { nodeName: "n1", containers: containers.map((one) => ({ name: one })) },
    });
  pod("web-1", "shop", { app: "web" }, ["main", "side"]);
  pod("db-1", "shop", { app: "db" }, ["main"]);
  pod("new-1", "other", { app: "web" }, ["main"]);
});
afterAll(() => server.close());
beforeEach(() => {
  printed.clear();
  printed.set(
    "web-1/main",
    `2026-06-15T10:00:00.000000001Z {"level":"error","msg":"boom","user":"ann"}\n2026-06-15T10:00:02Z INFO two\n`,
  );
  printed.set("web-1/side", "2026-06-15T10:00:01.5Z proxy\n");
  printed.set("db-1/main", "2026-06-15T10:00:03Z LOG: ready\n");
});

const ask = (spec: object = {}, options?: AskOptions, as = token) =>
  askBackend(
    kubernetes,
    { kubeconfig: { value: kubeconfigOf(server, { token: as }) }, ...spec },
    options,
  );
const messages = async (spec?: object, options?: AskOptions) =>
  (await ask(spec, options)).lines.map(({ message }) => message);

test("containers are merged by time, with what pods and lines say", async () => {
  const { lines } = await ask({ namespace: "shop" });
  expect(lines.map(({ message, level }) => [message, level])).toEqual([
    ["LOG: ready", undefined],
    ["INFO two", "info"],
    ["proxy", undefined],
    ["boom", "error"],
  ]);
  expect(lines.at(-1)).toMatchObject({
    timestamp: "2026-06-15T10:00:00.000000001Z",
    labels: {
      app: "web",
      namespace: "shop",
      pod: "web-1",
      container: "main",
      node: "n1",
      user: "ann",
    },
  });
  expect(await messages({ namespace: "shop" }, { direction: "forward", limit: 1 })).toEqual([
    "boom",
  ]);
});

test("pods are chosen by the document, the labels and the component", async () => {
  expect(await messages({ namespace: "shop", labelSelector: "app=db" })).toEqual(["LOG: ready"]);
  expect(await messages({ namespace: "shop", container: "side" })).toEqual(["proxy"]);
  expect(
    await messages({ namespace: "shop" }, { labels: { app: "web", container: "main" } }),
  ).toEqual(["INFO two", "boom"]);
  expect(await messages({ namespace: "shop" }, { labels: { user: "ann" } })).toEqual(["boom"]);
  expect(await messages({ namespace: "shop" }, { labels: { namespace: "other" } })).toEqual([]);
  expect(
    await messages({ namespace: "shop" }, { type: "KubernetesPod", externalId: "shop/db-1" }),
  ).toEqual(["LOG: ready"]);
  expect(await messages({ namespace: "shop" }, { query: "level>=error" })).toEqual(["boom"]);
  expect(
    await messages(
      { namespace: "shop" },
      { from: "2026-06-15T10:00:01Z", to: "2026-06-15T10:00:02Z" },
    ),
  ).toEqual(["proxy"]);
});

test.each(["backward", "forward"] as const)(
  "pages %s lead through all once, also of one moment",
  async (direction) => {
    printed.set(
      "db-1/main",
      Array.from(
        { length: 300 },
        (_, n) => `2026-06-15T11:00:${String(Math.floor(n / 10)).padStart(2, "0")}Z line ${n}\n`,
      ).join(""),
    );
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const options: AskOptions = { direction, limit: 7, ...(cursor && { cursor }) };
      const page = await ask({ labelSelector: "app=db" }, options);
      found.push(...page.lines.map(({ message }) => message));
      cursor = page.next;
    } while (cursor !== undefined);
    expect([found.length, new Set(found).size]).toEqual([300, 300]);
  },
);

test("a container that has not begun is told, and takes nothing from the others", async () => {
  const { lines, notices } = await ask();
  expect(lines).toHaveLength(4);
  expect(notices).toEqual([
    expect.stringContaining('read the log of Pod "new-1" in the namespace "other"'),
  ]);
  await expect(ask({ namespace: "other" })).rejects.toThrow("is waiting to start");
});

test("more than is read of one container is said", async () => {
  printed.set(
    "db-1/main",
    Array.from(
      { length: 25_000 },
      (_, n) => `2026-06-15T11:00:00.${String(n).padStart(9, "0")}Z line ${n}\n`,
    ).join(""),
  );
  const { lines, notices } = await ask(
    { labelSelector: "app=db" },
    { limit: 1, direction: "forward" },
  );
  expect([lines[0]!.message, notices]).toEqual([
    "line 5000",
    [expect.stringContaining("the oldest are missing")],
  ]);
  printed.set("db-1/main", `2026-06-15T11:00:00Z ${"x".repeat(1000)}\n`.repeat(18_000));
  expect((await ask({ labelSelector: "app=db" }, { limit: 1 })).notices).toEqual([
    expect.stringContaining("the newest are missing"),
  ]);
});

test("who may not, tokens that are none, and no cluster", async () => {
  await expect(ask({ namespace: "shop" }, {}, "token-of-a-guest")).rejects.toThrow(
    /cannot (?:get|read).*log/i,
  );
  const wrong = ask({}, {}, "token-that-is-none");
  await expect(wrong).rejects.toThrow(/credentials|Unauthorized/i);
  await expect(wrong).rejects.not.toThrow("token-that-is-none");
  await expect(askBackend(kubernetes, { kubeconfig: "nonsense" })).rejects.toThrow(/kubeconfig/);
});
