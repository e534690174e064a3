import { itemSnapshot } from "./config.ts";
import type { SnapshotKind } from "./kind.ts";
import { componentSnapshot } from "./topology.ts";

/** Everything that snapshots can be of. */
export const snapshotKinds: readonly SnapshotKind[] = [componentSnapshot, itemSnapshot];
