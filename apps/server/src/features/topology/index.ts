import type { Feature } from "#platform/feature.ts";
import { table } from "#platform/table.ts";

/** Components: for now, what checks are related to. */
export const topology: Feature = {
  name: "topology",
  open: ["topologies"],
  tables: [table("components", { read: "topologies" })],
};
