import { CirclePlus } from "lucide-react";
import type { PalettePart } from "#lib/page.ts";
import { paths } from "#lib/paths.ts";
import { checkTypeMarks } from "./check/check-type-icon.ts";

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
  found: [
    {
      kind: "checks",
      label: "Checks",
      read: "canaries",
      feature: "health",
      // On the page already, its filters stay as they are beneath the open check.
      to: (id, here) =>
        paths.check(
          id,
          here.pathname === paths.health() ? Object.fromEntries(here.searchParams) : {},
        ),
      mark: (type) => checkTypeMarks[type],
    },
  ],
};
