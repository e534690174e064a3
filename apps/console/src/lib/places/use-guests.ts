import { createContext, useContext, useMemo } from "react";
import { useAccess } from "../use-access.ts";
import type { Contributions, Guests, PlaceKind } from "./place.ts";

/** What all features contribute, in their order. The console gives it; without it nobody contributes. */
export const PlacesContext = createContext<readonly Contributions[]>([]);

const usualOrder = 100;

/** The guests of a place that somebody may see, in order. */
export function useGuests<Kind extends PlaceKind, Slot extends keyof Guests<Kind>>(
  kind: Kind,
  slot: Slot,
) {
  const all = useContext(PlacesContext);
  const access = useAccess();
  return useMemo(
    () =>
      all
        .flatMap((contributions): readonly NonNullable<Guests<Kind>[Slot]>[number][] => {
          const guests: Guests<Kind> | undefined = contributions[kind];
          return guests?.[slot] ?? [];
        })
        .filter((guest) => access.gate(guest) === "open")
        .toSorted((one, other) => (one.order ?? usualOrder) - (other.order ?? usualOrder)),
    [all, access, kind, slot],
  );
}
