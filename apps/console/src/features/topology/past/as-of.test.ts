import type { ComponentState, TopologyNode } from "@mainstay/contract/topology-answers.ts";
import { expect, test } from "vitest";
import { asCards, asOf } from "./as-of.ts";

const node = (
  name: string,
  parent: string | undefined,
  more: Partial<TopologyNode> = {},
): TopologyNode => ({
  id: name,
  agent_id: "here",
  external_id: name,
  name,
  status: "healthy",
  health: "healthy",
  order: 0,
  ...(parent !== undefined && { parent_id: parent, parents: [parent] }),
  ...more,
});
const state = (
  id: string,
  health: ComponentState["health"],
  gone?: string | null,
): ComponentState => ({
  id,
  health,
  status: health,
  since: "2026-01-01T00:00:00Z",
  ...(gone !== undefined && { gone: { name: id, ...(gone !== null && { parent_id: gone }) } }),
});
const all = [
  node("shop", undefined, {
    children: ["web", "young"],
    summary: { unhealthy: 9 },
    status_reason: "now",
  }),
  node("web", "shop"),
  node("young", "shop"),
];
const drawn = (nodes: readonly TopologyNode[]) =>
  nodes.map(({ id, health, children }) => `${id} ${health} ${(children ?? []).join()}`.trim());

test("health is as it was, who was not there is not, and who is gone hangs where it did, however deep", () => {
  const states = [
    state("shop", "warning"),
    state("web", "unhealthy"),
    state("old-disk", "healthy", "old"),
    state("old", "unhealthy", "web"),
    state("old-root", "healthy", null),
    state("elsewhere", "healthy", "nowhere"),
  ];
  const nodes = asOf(all, states, undefined);
  expect(drawn(nodes)).toEqual([
    "shop warning web",
    "web unhealthy old",
    "old unhealthy old-disk",
    "old-root healthy",
    "old-disk healthy",
  ]);
  expect(nodes[0]).toMatchObject({ summary: { unhealthy: 1 } });
  expect(nodes[0]).not.toHaveProperty("status_reason");
  const { own, cards } = asCards(nodes, undefined);
  expect([own, cards.map(({ id }) => id)]).toEqual([undefined, ["shop", "old-root"]]);
  expect(cards[0]?.components?.map(({ id }) => id)).toEqual(["web"]);
  // Of one component no other roots are told.
  expect(drawn(asOf(all, states, "shop"))).not.toContain("old-root healthy");
  expect(asCards(nodes, "web").cards.map(({ id }) => id)).toEqual(["old"]);
});
