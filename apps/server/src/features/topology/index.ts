import type { Feature } from "#platform/feature.ts";
import { table } from "#platform/table.ts";
import { component } from "./resources.ts";

/** Components: for now, what checks are related to. */
export const topology: Feature = {
  name: "topology",
  open: ["topologies"],
  resources: [component],
  tables: [table("components", { read: "topologies" })],
};
