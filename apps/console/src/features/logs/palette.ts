import { Radio, ScrollText } from "lucide-react";
import type { PalettePart } from "#lib/page.ts";
import { paths } from "#lib/paths.ts";

export const palette: PalettePart = {
  actions: [
    {
      label: "Follow the logs live",
      icon: Radio,
      words: "tail stream lines",
      feature: "logs",
      to: paths.logs({ live: true }),
    },
  ],
  resourceActions: {
    components: [
      {
        label: "View logs",
        icon: ScrollText,
        feature: "logs",
        find: (id) => Promise.resolve(paths.logs({ topologyId: id })),
      },
    ],
  },
};
