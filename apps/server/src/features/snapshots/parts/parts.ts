import { changes, insights, items } from "./catalog.ts";
import { checks, results } from "./checks.ts";
import { components } from "./components.ts";
import type { SnapshotPart } from "./part.ts";

/** Everything that a snapshot tells, in the order of its page. */
export const snapshotParts: readonly SnapshotPart[] = [
  components,
  checks,
  results,
  items,
  changes,
  insights,
];
