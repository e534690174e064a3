import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { guestFailure, LazyGuest } from "./LazyGuest.tsx";
import type { Given, PlaceKind } from "./place.ts";
import { useGuests } from "./use-guests.ts";

export interface PlacePanelsProps<Kind extends PlaceKind> {
  of: Kind;
  given: Given<Kind>;
}

/** What guests show about a resource, one below the other. */
export function PlacePanels<Kind extends PlaceKind>({ of, given }: PlacePanelsProps<Kind>) {
  return useGuests(of, "panels").map(({ id, title, load }) => (
    <section key={id} aria-label={title} className="shrink-0 border-t px-4 py-3">
      <h3 className="m-0 mb-1 text-xs font-semibold text-muted">{title}</h3>
      <LazyGuest
        load={load}
        props={given}
        skeleton={<SkeletonRows rows={2} />}
        renderFailure={guestFailure(title)}
      />
    </section>
  ));
}
