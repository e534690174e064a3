import type { Actor } from "../context.ts";
import type { PersonalTable } from "../feature.ts";
import type { ChangeEvent } from "./changes.ts";

/** Whether an event says that what somebody may see, or that they are signed in, may be otherwise now. */
export function changesAccess(
  personal: readonly PersonalTable[],
  actor: Actor,
): (event: ChangeEvent) => boolean {
  const decisive = new Set(personal.flatMap((one) => (one.decidesAccess ? [one.table] : [])));
  return (event) =>
    event.kind === "change" &&
    decisive.has(event.change.table) &&
    actor.kind === "person" &&
    event.change.ids?.includes(actor.id) !== false;
}
