import { type ReactNode, useId, useState } from "react";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { Tabs } from "@mainstay/ui/Tabs.tsx";
import { guestFailure, LazyGuest } from "./LazyGuest.tsx";
import type { Given, PlaceKind } from "./place.ts";
import { useGuests } from "./use-guests.ts";

/** A tab of whoever owns the place. */
export interface OwnTab {
  id: string;
  label: string;
  badge?: ReactNode;
  render: () => ReactNode;
  /** Stays drawn once it was opened: something is typed in it. */
  isKept?: boolean;
}

export interface PlaceTabsProps<Kind extends PlaceKind> {
  of: Kind;
  label: string;
  /** Nothing until it is there. */
  given: Given<Kind> | undefined;
  own: readonly [OwnTab, ...OwnTab[]];
  /** From the address: what is no tab, or none for this person, stands for the first one. */
  selected: string;
  onSelect: (id: string) => void;
}

/** The tabs of a resource, its own and then those of guests, and what the selected one shows. */
export function PlaceTabs<Kind extends PlaceKind>(props: PlaceTabsProps<Kind>) {
  const { of, label, given, own, selected, onSelect } = props;
  const panelId = useId();
  const guests = useGuests(of, "tabs").map((guest) => ({
    id: guest.id,
    label: guest.label,
    badge: given && guest.loadBadge && (
      // What keeps the badge away keeps the tab away, and that says why.
      <LazyGuest load={guest.loadBadge} props={given} renderFailure={() => null} />
    ),
    render: () =>
      given && (
        <LazyGuest
          key={guest.id}
          load={guest.load}
          props={given}
          skeleton={<SkeletonRows />}
          renderFailure={guestFailure(guest.label)}
        />
      ),
  }));
  const tabs: readonly OwnTab[] = [...own, ...guests];
  const shown = tabs.find(({ id }) => id === selected) ?? own[0];
  const [opened, setOpened] = useState<readonly string[]>([]);
  if (shown.isKept && !opened.includes(shown.id)) setOpened([...opened, shown.id]);
  return (
    <>
      <Tabs label={label} panelId={panelId} selected={shown.id} onSelect={onSelect} tabs={tabs} />
      <div
        id={panelId}
        role="tabpanel"
        aria-label={shown.label}
        className="flex min-h-60 flex-1 flex-col"
      >
        {given &&
          own
            .filter(({ id, isKept }) => isKept && opened.includes(id))
            .map(({ id, render }) => (
              <div key={id} hidden={id !== shown.id} className="flex min-h-0 flex-1 flex-col">
                {render()}
              </div>
            ))}
        {given ? !shown.isKept && shown.render() : <SkeletonRows />}
      </div>
    </>
  );
}
