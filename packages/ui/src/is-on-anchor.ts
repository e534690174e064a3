import type { RefObject } from "react";

/** A press on the trigger of an open popup toggles it by itself; treating it as an outside press would open it again. */
export function isOnAnchor(
  event: Event | undefined,
  anchor: RefObject<HTMLElement | null>,
): boolean {
  return event?.target instanceof Node && anchor.current?.contains(event.target) === true;
}
