import type { ComponentType } from "react";
import { AppWindow } from "lucide-react";
import type { IconMark } from "@mainstay/ui/Icon.tsx";
import type { ConsoleFeature, NavItem } from "#lib/page.ts";
import type { Access } from "#lib/use-access.ts";

/** A page of the console that somebody may go to. */
export interface PageEntry {
  label: string;
  words?: string;
  to: string;
  icon: ComponentType<IconMark>;
  detail?: string;
}

/** What the sidebar offers to somebody. */
export interface Offered {
  main: readonly NavItem[];
  settings: readonly NavItem[];
}

/** What the sidebar offers, then the pages that are in no sidebar, such as one's own profile. */
export function pageEntries(
  features: readonly ConsoleFeature[],
  offered: Offered,
  access: Access,
): PageEntry[] {
  const inSidebar = new Set(features.flatMap(({ nav }) => (nav ?? []).map(({ to }) => to)));
  const others = features
    .flatMap(({ pages }) => pages)
    .filter(
      (page) =>
        page.access === "session" &&
        !page.path.includes("$") &&
        !inSidebar.has(page.path) &&
        access.gate(page) === "open",
    );
  return [
    ...offered.main.map(({ label, to, icon }) => ({ label, to, icon })),
    ...offered.settings.map(({ label, to, icon }) => ({
      label,
      to,
      icon,
      detail: "Settings",
      words: "settings",
    })),
    ...others.map(({ title, path }) => ({ label: title, to: path, icon: AppWindow })),
  ];
}
