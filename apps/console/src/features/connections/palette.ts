import { CirclePlus } from "lucide-react";
import type { PalettePart } from "#lib/page.ts";
import { paths } from "#lib/paths.ts";

export const palette: PalettePart = {
  actions: [
    {
      label: "Add a connection",
      icon: CirclePlus,
      words: "new create credentials secret notification",
      write: "connections",
      feature: "settings.connections",
      to: paths.connections({ add: true }),
    },
  ],
};
