import type { Actor } from "../context.ts";
import type { PersonalTable } from "../feature.ts";
import type { ChangeEvent } from "./changes.ts";

/** How long a stream goes on before whoever reads it is asked anew who they are. */
const lifetimeMs = 60_000;

/** The same for one stream: not all end at the same moment, and none outlives what its asker came with. */
export function streamLifetimeMs(actor: Actor, now: Date): number {
  const usual = lifetimeMs * (0.9 + Math.random() * 0.2);
  if (actor.kind !== "person" || !actor.endsAt) return usual;
  return Math.max(Math.min(usual, actor.endsAt.getTime() - now.getTime()), 0);
}

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
