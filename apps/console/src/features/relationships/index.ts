import type { ConsoleFeature } from "#lib/page.ts";

export const relationships: ConsoleFeature = {
  name: "relationships",
  pages: [],
  contributes: {
    check: {
      tabs: [
        {
          id: "relationships",
          label: "Relationships",
          read: "canaries",
          load: () => import("./RelationshipsTab.tsx").then((module) => module.RelationshipsTab),
          loadBadge: () => import("./RelationshipsTab.tsx").then((module) => module.RelationsCount),
        },
      ],
    },
  },
};
