import { FileArchive } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";

export const snapshots: ConsoleFeature = {
  name: "snapshots",
  pages: [],
  contributes: {
    component: {
      actions: [
        {
          id: "snapshot",
          label: "Snapshot",
          icon: FileArchive,
          read: "topologies",
          feature: "topology",
          loadDialog: () =>
            import("./SnapshotDialog.tsx").then((module) => module.ComponentSnapshotDialog),
        },
      ],
    },
    config: {
      actions: [
        {
          id: "snapshot",
          label: "Snapshot",
          icon: FileArchive,
          read: "config_scrapers",
          feature: "config",
          loadDialog: () =>
            import("./SnapshotDialog.tsx").then((module) => module.ItemSnapshotDialog),
        },
      ],
    },
  },
};
