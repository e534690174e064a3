import "./places.ts";
import { useMemo } from "react";
import { type OwnTab, PlaceTabs } from "../places/PlaceTabs.tsx";
import { useUrlState } from "../url-state.ts";

const codec = {
  parse: (raw: Record<string, string | undefined>) => ({ tab: raw["tab"] ?? "" }),
  // What a tab has in the address is no other's.
  format: ({ tab }: { tab: string }) => ({ tab: tab || undefined }),
};

export interface ResourceTabsProps {
  kind: string;
  id: string;
  label: string;
  /** The first of them stands for none. */
  own: readonly [OwnTab, ...OwnTab[]];
}

/** What there is of one resource: what its kind shows, then what other features know of any resource (Job History). */
export function ResourceTabs({ kind, id, label, own }: ResourceTabsProps) {
  const [{ tab }, change] = useUrlState(codec);
  const given = useMemo(() => ({ kind, id }), [kind, id]);
  return (
    <PlaceTabs
      of="resource"
      label={label}
      given={given}
      own={own}
      selected={tab}
      onSelect={(chosen) => change({ tab: chosen === own[0].id ? "" : chosen })}
    />
  );
}
