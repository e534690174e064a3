import { CirclePlay, CirclePause, CirclePlus, Play, SquarePen } from "lucide-react";
import { runCheckRoles } from "@mainstay/contract/permissions.ts";
import { toastDone, toastFailed } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { columns, db, eq } from "#lib/db.ts";
import type { PalettePart } from "#lib/page.ts";
import { type BulkResult, changeCanaries } from "./bulk/run-bulk.ts";
import { runCheck } from "./mutations.ts";
import { paths } from "#lib/paths.ts";

async function findCanary(checkId: string): Promise<string | undefined> {
  const check = await db.first("checks", {
    select: columns("checks", "canary_id"),
    where: { id: eq(checkId) },
  });
  return check?.canary_id;
}

async function runNow(checkId: string): Promise<void> {
  try {
    const { pass, untried, error, message } = await runCheck(checkId);
    const said = error ?? message;
    const why = said ? `: ${said}` : "";
    if (pass) toastDone("The check passed");
    else toastFailed(`The check ${untried ? "could not be tried" : "failed"}${why}`);
  } catch (failure) {
    toastFailed(messageOf(failure));
  }
}

/** All checks of a canary run by its clock, or none of them does. */
async function setPaused(checkId: string, paused: boolean): Promise<void> {
  try {
    const canary = await findCanary(checkId);
    if (canary === undefined) return toastFailed("The check is not there any more.");
    const results: BulkResult[] = [];
    await changeCanaries([{ canary, paused }], {
      signal: new AbortController().signal,
      onResults: (some) => results.push(...some),
    });
    const [result] = results;
    if (result?.outcome === "done")
      toastDone(paused ? "Its canary is paused" : "Its canary runs again", {
        label: "Undo",
        isUndo: true,
        onSelect: () => void setPaused(checkId, !paused),
      });
    else if (result?.outcome === "unchanged") toastDone(result.words);
    else toastFailed(result?.words ?? "Nothing was changed.");
  } catch (failure) {
    toastFailed(messageOf(failure));
  }
}

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
        run: runNow,
      },
      {
        label: "Edit",
        icon: SquarePen,
        write: "canaries",
        feature: "settings.health",
        find: async (id) => {
          const canary = await findCanary(id);
          return canary === undefined ? undefined : paths.canary(canary);
        },
      },
      {
        label: "Pause its canary",
        icon: CirclePause,
        write: "canaries",
        feature: "health",
        run: (id) => setPaused(id, true),
      },
      {
        label: "Resume its canary",
        icon: CirclePlay,
        write: "canaries",
        feature: "health",
        run: (id) => setPaused(id, false),
      },
    ],
  },
};
