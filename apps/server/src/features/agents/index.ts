import type { Feature } from "#platform/feature.ts";
import { tables } from "./tables.ts";

/** Instances elsewhere that push what they see; for now the one that is here, which everything refers to. */
export const agents: Feature = {
  name: "agents",
  open: ["agents"],
  resources: [{ kind: "agent", table: "agents", read: "agents" }],
  tables,
};
