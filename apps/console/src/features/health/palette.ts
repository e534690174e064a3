import { CirclePlus, Play, SquarePen } from "lucide-react";
import { runCheckRoles } from "@mainstay/contract/permissions.ts";
import { toastDone, toastFailed } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { columns, db, eq } from "#lib/db.ts";
import type { PalettePart } from "#lib/page.ts";
import { runCheck } from "./mutations.ts";
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
  resourceActions: {
    check: [
      {
        label: "Run now",
        icon: Play,
        roles: runCheckRoles,
        feature: "health",
        run: async (id) => {
          try {
            const { pass, error, message } = await runCheck(id);
            const said = error ?? message;
            toastDone(pass ? "The check passed" : `The check failed${said ? `: ${said}` : ""}`);
          } catch (failure) {
            toastFailed(messageOf(failure));
          }
        },
      },
      {
        label: "Edit",
        icon: SquarePen,
        write: "canaries",
        feature: "settings.health",
        find: async (id) => {
          const check = await db.first("checks", {
            select: columns("checks", "canary_id"),
            where: { id: eq(id) },
          });
          return check ? paths.canary(check.canary_id) : undefined;
        },
      },
    ],
  },
};
