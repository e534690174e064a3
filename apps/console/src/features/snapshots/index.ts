import { FileText } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";

/** Every page loads this, so it is little, and its mark is one that the console has already. */
const action = {
  id: "snapshot",
  label: "Snapshot",
  icon: FileText,
  loadDialog: () => import("./SnapshotDialog.tsx").then((module) => module.SnapshotDialog),
};

export const snapshots: ConsoleFeature = {
  name: "snapshots",
  pages: [],
  contributes: {
    component: { actions: [{ ...action, read: "topologies", feature: "topology" }] },
    config: { actions: [{ ...action, read: "config_scrapers", feature: "config" }] },
  },
};
