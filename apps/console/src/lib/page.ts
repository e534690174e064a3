import type { Resource } from "@mainstay/contract/permissions.ts";
import type { ComponentType } from "react";
import type { IconMark } from "@mainstay/ui/Icon.tsx";

/** One address of the console, as data. */
export interface Page {
  path: string;
  load: () => Promise<ComponentType>;
  /** In the browser's title. */
  title: string;
  /** Who may see it: everybody (`public`, outside the shell), or whoever is signed in. */
  access: "public" | "session";
  /** Also needs read access to this. */
  read?: Resource;
  /** The feature flag that switches it off. */
  feature?: string;
}

export interface NavItem {
  label: string;
  to: string;
  icon: ComponentType<IconMark>;
  read?: Resource;
  feature?: string;
}

/** What a capability adds to the console. */
export interface ConsoleFeature {
  name: string;
  pages: readonly Page[];
  nav?: readonly NavItem[];
}
