import type { Feature } from "#platform/feature.ts";
import { component } from "./resources.ts";
import { tables } from "./tables.ts";

/** Components: for now, what checks are related to. */
export const topology: Feature = {
  name: "topology",
  open: ["topologies"],
  resources: [component],
  tables,
};
