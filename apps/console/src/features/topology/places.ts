import type { TopologyNode } from "@mainstay/contract/topology-answers.ts";

/** As much of a component as guests are given: what every place has that shows one. */
export type GivenComponent = Pick<
  TopologyNode,
  "id" | "name" | "external_id" | "agent_id" | "parent_id" | "topology_id"
>;

declare module "#lib/places/place.ts" {
  interface PlaceData {
    /** A component: in its card's menu (actions), and beside what hangs below it (panels). */
    component: { given: { component: GivenComponent }; row: { component: GivenComponent } };
  }
}
