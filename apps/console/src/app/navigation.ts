import type { NavItem, Page } from "#lib/page.ts";
import type { Access } from "#lib/use-access.ts";
import { features } from "../features.ts";

const items = features.flatMap((feature) => feature.nav ?? []);
export const pages = features.flatMap((feature) => feature.pages);
export const documentKinds = features.flatMap((feature) => feature.documents ?? []);
export const resources = features.flatMap((feature) => feature.resources ?? []);
export const contributions = features.flatMap(({ contributes }) => contributes ?? []);

export interface Navigation {
  /** In the order of the product. */
  main: readonly NavItem[];
  /** Sorted by label; nothing for who may not see it. */
  settings: readonly NavItem[];
}

/** What the sidebar offers to somebody (document 1, section 2): nothing that is switched off or may not be read. */
export function navigationOf(access: Access, all: readonly NavItem[] = items): Navigation {
  const open = all.filter((item) => access.gate(item) === "open");
  return {
    main: open.filter((item) => item.section === undefined),
    settings: access.seesSettings
      ? open
          .filter((item) => item.section === "settings")
          .toSorted((one, other) => one.label.localeCompare(other.label))
      : [],
  };
}

/** Whether there is a page at an address, for somebody. */
export const hasPage = (access: Access, address: string, all: readonly Page[] = pages): boolean =>
  all.some((page) => page.path === address && access.gate(page) === "open");

/** Whether an address belongs to an item: its own, or one below it. */
export const isBelow = (address: string, to: string): boolean =>
  address === to || address.startsWith(`${to}/`);
