import type { NavItem } from "#lib/page.ts";
import type { Access, Session } from "#lib/use-access.ts";
import { features } from "../features.ts";

const items = features.flatMap((feature) => feature.nav ?? []);

export interface Navigation {
  /** In the order of the product. */
  main: readonly NavItem[];
  /** Sorted by label; nothing for who may not see it. */
  settings: readonly NavItem[];
}

/** What the sidebar offers to somebody (document 1, section 2): nothing that is switched off or may not be read. */
export function navigationOf(
  access: Access,
  session: Pick<Session, "roles">,
  all: readonly NavItem[] = items,
): Navigation {
  const open = all.filter(
    (item) =>
      (item.feature === undefined || access.isOn(item.feature)) &&
      (item.read === undefined || access.may("read", item.read)),
  );
  const isViewer = session.roles.every((role) => role === "viewer");
  return {
    main: open.filter((item) => item.section === undefined),
    settings: isViewer
      ? []
      : open
          .filter((item) => item.section === "settings")
          .toSorted((one, other) => one.label.localeCompare(other.label)),
  };
}

/** Whether an address belongs to an item: its own, or one below it. */
export const isBelow = (address: string, to: string): boolean =>
  address === to || address.startsWith(`${to}/`);
