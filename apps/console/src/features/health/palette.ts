import { CirclePlus } from "lucide-react";
import type { PalettePart } from "#lib/page.ts";
import { paths } from "#lib/paths.ts";

export const palette: PalettePart = {
  actions: [
    {
      label: "Add a check",
      icon: CirclePlus,
      words: "new create canary health",
      write: "canaries",
      feature: "health",
      to: paths.health({ addCheck: true }),
    },
  ],
};
