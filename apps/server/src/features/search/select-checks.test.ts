import { randomUUID } from "node:crypto";
import type { ResourceSelector } from "@mainstay/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bank,
  createSelectable,
  frontId,
  fronts,
  hostile,
  local,
  remote,
  type Selectable,
  shop,
} from "./testing/selectable.ts";

let resources: Selectable;
beforeAll(async () => {
  resources = await createSelectable();
});
afterAll(() => resources.drop());
const selected = (...selectors: ResourceSelector[]) => resources.selected("checks", ...selectors);

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
    expect(await selected(selector)).toEqual(names);
  });

  test("of several, each adds what it selects", async () => {
    expect(await selected({ name: "vault" }, {}, { namespace: "web" })).toEqual([
      "Front page",
      "Vault",
      "front door",
    ]);
    expect(await selected()).toEqual([]);
    expect(await selected({}, {})).toEqual([]);
  });

  test("one that is limited selects as many, of those that come first", async () => {
    expect(await selected({ name: "*", limit: 1 })).toEqual(["front door"]);
    expect(
      await selected({ search: "@order=-name limit=1 name=*" }, { name: "front*", limit: 1 }),
    ).toEqual(["Vault", "front door"]);
    expect(await selected({ search: "front offset=1" })).toEqual(["Front page"]);
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
    expect(await selected({ search })).toEqual(names);
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
    const outcome = await selected({ search, agent: "all" }).catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toMatchObject({ code: "invalid" });
    else expect(outcome).toEqual([]);
    expect(await selected({ name: "*" })).toEqual(local);
  });
});
