import type { KubernetesOptions } from "@mainstay/testkit/servers/index.ts";
import { expect, onTestFinished, test } from "vitest";
import type { Json } from "../../changes/json-patch.ts";
import { scrapeWith } from "../testing/scrape.ts";
import { eventOf, shopToken, startShop } from "../testing/shop-cluster.ts";

/** What happens in the stand-in of a cluster between two scrapes. */

async function start(options: Partial<KubernetesOptions> = {}) {
  const shop = await startShop({ watchMs: 30, ...options });
  onTestFinished(() => shop.server.close());
  const look = (from?: Json, more: object = {}) =>
    scrapeWith(
      "kubernetes",
      { clusterName: "prod", kubeconfig: shop.kubeconfig, ...more },
      { from },
    );
  return { shop, look };
}

const versionsIn = (position: Json | undefined) =>
  (position as { kinds: { kind: string; at: string }[] }).kinds.map(({ at }) => Number(at));

test("each object is told once, as it is last, and what is gone is gone", async () => {
  const { shop, look } = await start();
  const { position } = await look();
  const quiet = await look(position);
  expect([quiet.items, quiet.changes, quiet.gone]).toEqual([[], [], []]);
  shop.update("Deployment/web", ({ spec }) => (spec.replicas = 2));
  shop.update("Deployment/web", ({ spec }) => (spec.replicas = 3));
  shop.update("Pod/web-7f9c-x1", ({ status }) => (status.podIP = "10.1.0.8"));
  shop.add(eventOf(shop.objects.get("Pod/web-7f9c-x1")!, "Killing"));
  const gone = shop.objects.get("ReplicaSet/web-7f9c")!.metadata.uid;
  shop.remove("ReplicaSet/web-7f9c");
  // Nobody follows this kind.
  shop.update("ConfigMap/web-config", ({ data }) => (data.key = "other"));
  const told = await look(quiet.position);
  expect(told.items.map(({ name }) => name).toSorted()).toEqual(["web", "web-7f9c-x1"]);
  expect(told.item("Kubernetes::Deployment", "web").config).toMatchObject({
    spec: { replicas: 3 },
  });
  const pod = told.item("Kubernetes::Pod", "web-7f9c-x1");
  expect(pod.config).toMatchObject({ status: { podIP: "10.1.0.8" } });
  // As a scrape would have told it.
  expect(pod).toEqual((await look()).item("Kubernetes::Pod", "web-7f9c-x1"));
  expect(told.gone).toEqual([gone]);
  expect(told.changes.map(({ changeType }) => changeType)).toEqual(["Killing"]);
  // Marks of the cluster move it on, also where nothing happened.
  const [before, after] = [versionsIn(position), versionsIn(told.position)];
  expect(after.every((at, index) => at > before[index]!)).toBe(true);
});

test("an object of a kind that nobody follows is told with the first event about it", async () => {
  const { shop, look } = await start();
  const { position } = await look();
  const add = (name: string, labels: Record<string, string>) => {
    const metadata = { name, namespace: "shop", labels };
    return shop.add({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { key: "a" } });
  };
  const fresh = add("fresh", { app: "web" });
  shop.add(eventOf(fresh, "Made"));
  // The same name, of another time.
  shop.add(eventOf({ ...fresh, metadata: { ...fresh.metadata, uid: crypto.randomUUID() } }, "Old"));
  const told = await look(position);
  expect(told.failures).toEqual([]);
  expect(told.items.map(({ name }) => name)).toEqual(["fresh"]);
  expect(told.item("Kubernetes::ConfigMap", "fresh").externalId).toBe(fresh.metadata.uid);
  expect(told.changes.map(({ changeType }) => changeType).toSorted()).toEqual(["Made", "Old"]);
  // Not a second time.
  shop.add(eventOf(fresh, "Again"));
  const before = shop.server.asked.length;
  const again = await look(told.position);
  expect([again.items, again.changes.map(({ changeType }) => changeType)]).toEqual([[], ["Again"]]);
  const lists = shop.server.asked
    .slice(before)
    .filter(({ query }) => query.get("watch") !== "true");
  expect(lists).toEqual([]);
  // As little as a scrape tells what is not selected or left out.
  for (const spec of [{ selector: "app=other" }, { exclusions: { kind: ["ConfigMap"] } }]) {
    const whole = await look(undefined, spec);
    shop.add(eventOf(add(`one-${Object.keys(spec)[0]}`, { app: "web" }), "Made"));
    expect((await look(whole.position, spec)).items).toEqual([]);
  }
});

test("what a cluster has forgotten is listed again", async () => {
  const { shop, look } = await start();
  const { position } = await look();
  shop.update("Deployment/web", ({ spec }) => (spec.replicas = 2));
  shop.server.store.compact();
  const told = await look(position);
  expect(told.failures).toEqual([]);
  expect(told.item("Kubernetes::Deployment", "web").config).toMatchObject({
    spec: { replicas: 2 },
  });
  expect((await look(told.position)).items).toEqual([]);
});

test("more than fits at a time is told in several looks", async () => {
  const { shop, look } = await start();
  const spec = { watch: [{ apiVersion: "v1", kind: "ConfigMap" }] };
  const { position } = await look(undefined, spec);
  for (let number = 1; number <= 60; number += 1)
    shop.update("ConfigMap/web-config", ({ data }) => (data.key = `${number}`.padEnd(120_000)));
  const before = shop.server.asked.length;
  const told = await look(position, spec);
  expect(told.items).toHaveLength(1);
  expect(told.items[0]!.config).toMatchObject({ data: { key: "60".padEnd(120_000) } });
  expect(shop.server.asked.slice(before).map(({ query }) => query.get("watch"))).toEqual([
    "true",
    "true",
  ]);
});

test("a watch that breaks off loses nothing", async () => {
  const { shop, look } = await start();
  const { position } = await look();
  shop.update("Deployment/web", ({ spec }) => (spec.replicas = 2));
  shop.server.intercept = ({ query }, response) => {
    if (query.get("watch") !== "true") return false;
    response.writeHead(200, { "content-type": "application/json", "content-length": "9999" });
    response.write(
      '{"type":"MODIFIED","object":{"metadata":{"uid":"a","resourceVersion":"99999"}}}\n',
    );
    setImmediate(() => response.destroy());
    return true;
  };
  await expect(look(position)).rejects.toThrow();
  shop.server.intercept = undefined;
  expect((await look(position)).item("Kubernetes::Deployment", "web").config).toMatchObject({
    spec: { replicas: 2 },
  });
});

test("what is selected and what is left out holds between scrapes, too", async () => {
  const { shop, look } = await start();
  const spec = {
    fieldSelector: "status.phase=Running",
    exclusions: { name: ["hidden-*"], kind: ["leases.coordination.k8s.io"] },
  };
  const { position } = await look(undefined, spec);
  shop.add({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "hidden-1", namespace: "shop" },
    status: { phase: "Running" },
  });
  shop.add(eventOf(shop.objects.get("Lease/leader")!, "LeaderElection"));
  // It is gone from what is asked for; the other has no such field at all.
  shop.update("Pod/web-7f9c-x1", ({ status }) => (status.phase = "Succeeded"));
  shop.update("Deployment/web", ({ spec: own }) => (own.replicas = 2));
  const told = await look(position, spec);
  expect([told.items, told.changes, told.failures]).toEqual([[], [], []]);
  expect(told.gone).toContain(shop.objects.get("Pod/web-7f9c-x1")!.metadata.uid);
});

test("what an object says of its own changes is remembered", async () => {
  const { shop, look } = await start();
  const say = (patterns: string) =>
    shop.update("Deployment/web", ({ metadata }) => {
      metadata.annotations = { "config-db.flanksource.com/ignore-changes": patterns };
    });
  const happens = (reason: string) =>
    shop.add(eventOf(shop.objects.get("Deployment/web")!, reason));
  say("Scaled*");
  const { position } = await look();
  happens("ScaledUp");
  happens("Paused");
  const told = await look(position);
  expect(told.changes.map(({ changeType }) => changeType)).toEqual(["Paused"]);
  say("Other");
  happens("ScaledDown");
  const again = await look(told.position);
  expect(again.changes.map(({ changeType }) => changeType)).toEqual(["ScaledDown"]);
  // However much it says of them.
  say("Scaled*,".padEnd(200_000, "x,"));
  happens("ScaledAgain");
  const full = await look(again.position);
  expect(full.changes).toEqual([]);
  expect(JSON.stringify(full.position).length).toBeLessThan(10_000);
});

test("a kind that may be listed and not followed is told once, and holds up no other", async () => {
  const rules = ["list", "watch"].map((verb) => ({
    verbs: [verb],
    resources: ["deployments", ...(verb === "list" ? ["pods"] : [])],
  }));
  const { shop, look } = await start({ accounts: { [shopToken]: { user: "reader", rules } } });
  const { position } = await look();
  shop.update("Deployment/web", ({ spec }) => (spec.replicas = 2));
  const told = await look(position);
  expect(told.failures).toEqual([expect.stringMatching(/cannot watch Pod: .* answered 403/)]);
  expect(told.items.map(({ name }) => name)).toEqual(["web"]);
  expect((await look(told.position)).failures).toEqual([]);
});

test("a kind that the cluster cannot tell of now holds up no other, and is followed again from where it was", async () => {
  const { shop, look } = await start();
  const { position } = await look();
  shop.update("Deployment/web", ({ spec }) => (spec.replicas = 2));
  shop.update("Pod/web-7f9c-x1", ({ status }) => (status.podIP = "10.1.0.8"));
  shop.server.intercept = ({ path, query }, response) => {
    if (query.get("watch") !== "true" || !path.endsWith("/pods")) return false;
    response.writeHead(500, { "content-type": "application/json" });
    response.end('{"kind":"Status","message":"conversion webhook failed","code":500}');
    return true;
  };
  const told = await look(position);
  expect(told.items.map(({ name }) => name)).toEqual(["web"]);
  expect(told.failures).toEqual([expect.stringMatching(/conversion webhook failed/)]);
  shop.server.intercept = undefined;
  const again = await look(told.position);
  expect(again.items.map(({ name }) => name)).toEqual(["web-7f9c-x1"]);
});

test("pods are followed by whoever may not see services", async () => {
  const rules = [{ verbs: ["list", "watch"], resources: ["pods"] }];
  const { shop, look } = await start({ accounts: { [shopToken]: { user: "reader", rules } } });
  const { position } = await look();
  shop.update("Pod/web-7f9c-x1", ({ status }) => (status.podIP = "10.1.0.8"));
  const told = await look(position);
  expect(told.items.map(({ name }) => name)).toEqual(["web-7f9c-x1"]);
  expect(told.position).toBeDefined();
});

test("what was gone before a cluster forgot the rest is gone", async () => {
  const { shop, look } = await start();
  const spec = { watch: [{ apiVersion: "v1", kind: "ConfigMap" }] };
  const { position } = await look(undefined, spec);
  const gone = shop.objects.get("ConfigMap/web-config")!.metadata;
  let looks = 0;
  shop.server.intercept = ({ query }, response) => {
    if (query.get("watch") !== "true") return false;
    looks += 1;
    response.writeHead(200, { "content-type": "application/json" });
    const metadata = { ...gone, resourceVersion: "900" };
    if (looks === 1)
      response.end(
        `${JSON.stringify({ type: "DELETED", object: { apiVersion: "v1", kind: "ConfigMap", metadata } })}\n{"cut`,
      );
    else
      response.end('{"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}}\n');
    return true;
  };
  shop.remove("ConfigMap/web-config");
  const told = await look(position, spec);
  expect(looks).toBe(2);
  expect(told.gone).toEqual([gone.uid]);
});

test("an event of a cluster whose clock is behind is told while it is followed, however young those have to be", async () => {
  const { shop, look } = await start();
  const spec = { since: "10m" };
  const { position } = await look(undefined, spec);
  // Half an hour before it is asked.
  shop.add(eventOf(shop.objects.get("Pod/web-7f9c-x1")!, "Killing"));
  expect((await look(undefined, spec)).changes).toEqual([]);
  const told = await look(position, spec);
  expect(told.changes.map(({ changeType }) => changeType)).toEqual(["Killing"]);
  // Of what is listed again, it cannot be known.
  shop.server.store.compact();
  expect((await look(position, spec)).changes).toEqual([]);
});

test("a line that is cut in two is told by the next answer", async () => {
  const { shop, look } = await start();
  const { position } = await look();
  shop.update("Pod/web-7f9c-x1", ({ status }) => (status.podIP = "10.1.0.8"));
  shop.update("Pod/web-7f9c-gone", ({ status }) => (status.message = "The disk was full."));
  const line = (name: string) =>
    `${JSON.stringify({ type: "MODIFIED", object: shop.objects.get(name) })}\n`;
  let isFirst = true;
  shop.server.intercept = ({ path, query }, response) => {
    if (!isFirst || query.get("watch") !== "true" || !path.endsWith("/pods")) return false;
    isFirst = false;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(line("Pod/web-7f9c-x1") + line("Pod/web-7f9c-gone").slice(0, 200));
    return true;
  };
  const told = await look(position);
  expect(told.failures).toEqual([]);
  expect(told.items.map(({ name }) => name).toSorted()).toEqual(["web-7f9c-gone", "web-7f9c-x1"]);
  expect(told.item("Kubernetes::Pod", "web-7f9c-gone").config).toMatchObject({
    status: { message: "The disk was full." },
  });
});

test("an event about what came after its kind was looked at is not told before it", async () => {
  const { shop, look } = await start({ watchMs: 300 });
  const { position } = await look();
  let isFirst = true;
  shop.server.intercept = ({ path, query }, response) => {
    if (!isFirst || query.get("watch") !== "true" || !path.endsWith("/pods")) return false;
    isFirst = false;
    response.on("finish", () => shop.add(eventOf(pod(shop), "Scheduled")));
    response.writeHead(200, { "content-type": "application/json" }).end();
    return true;
  };
  const told = await look(position);
  expect(told.changes.map(({ changeType }) => changeType)).toEqual(["Scheduled"]);
  expect(told.items.map(({ name }) => name)).toEqual(["late"]);
});

test("an event about what came while everything was read is told again when that is there", async () => {
  const { shop, look } = await start();
  let lists = 0;
  shop.server.intercept = ({ path, query }) => {
    const isWhole = path === "/api/v1/events" && query.get("watch") === null;
    if (isWhole && (lists += 1) === 2) shop.add(eventOf(pod(shop), "Scheduled"));
    return false;
  };
  const { position, items } = await look();
  expect(items.map(({ name }) => name)).not.toContain("late");
  const told = await look(position);
  expect(told.items.map(({ name }) => name)).toEqual(["late"]);
  expect(told.changes.map(({ changeType }) => changeType)).toEqual(["Scheduled"]);
});

const pod = (shop: Awaited<ReturnType<typeof start>>["shop"]) =>
  shop.add({ apiVersion: "v1", kind: "Pod", metadata: { name: "late", namespace: "shop" } });
