import type { Resource, Role } from "@mainstay/contract/permissions.ts";
import type { ComponentType } from "react";
import type { IconMark } from "@mainstay/ui/Icon.tsx";
import type { ConsoleDocumentKind } from "./documents/document-kinds.ts";
import type { Contributions } from "./places/place.ts";
import type { Gate } from "./use-access.ts";

/** One address of the console, as data. */
export interface Page extends Omit<Gate, "write"> {
  path: string;
  /** The path of the page that draws this one within itself, below whose path it lies: a tab with an address of its own. */
  partOf?: string;
  load: () => Promise<ComponentType>;
  /** In the browser's title. */
  title: string;
  /** Who may see it: everybody (`public`, outside the shell), or whoever is signed in. */
  access: "public" | "session";
}

export interface NavItem extends Omit<Gate, "write"> {
  label: string;
  to: string;
  icon: ComponentType<IconMark>;
  /** In the Settings submenu, which is sorted by label and hidden from viewers. */
  section?: "settings";
}

/** Something to do from the command palette, wherever one is: go somewhere, do it at once, or open a dialog. */
export type PaletteAction = Omit<Gate, "read"> & {
  label: string;
  icon: ComponentType<IconMark>;
  /** Further words by which it is found. */
  words?: string;
} & (
    | { to: string }
    | { run: () => void | Promise<void> }
    | { loadDialog: () => Promise<ComponentType<{ onClose: () => void }>> }
  );

/** What can be done with one resource that the palette has found. */
export type ResourceAction = Omit<Gate, "read"> & {
  label: string;
  icon: ComponentType<IconMark>;
  /** Who may, where that is no row of the matrix. */
  roles?: readonly Role[];
} & (
    | { run: (id: string) => void | Promise<void> }
    /** Where it leads; nothing when it is not there any more. */
    | { find: (id: string) => Promise<string | undefined> }
  );

type Mark = ComponentType<IconMark>;

/**
 * A kind of resource, as people are shown it: under the wire's name, which the server declares. The command palette
 * finds it, and wherever one is named by its kind and id, `ResourceLink` leads to it.
 */
export type ResourceKind = Omit<Gate, "write"> & {
  kind: string;
  label: { one: string; many: string };
  icon: Mark;
  read: Resource;
} & (
    | {
        /** Where one of them is shown, coming from an address. */
        to: (id: string, here: URL) => string;
        /** Left out where the server cannot search it. */
        search?: {
          /** The name by which it is asked for: `checks`. */
          as: string;
          /** They are healthy or not: what fails comes first. */
          hasStatus?: true;
          /** The marks of its types, instead of its icon. */
          loadMarks?: () => Promise<Readonly<Record<string, Mark>>>;
        };
      }
    // No page shows one alone.
    | { to?: never; search?: never }
  );

/** What a capability adds to the command palette. */
export interface PalettePart {
  actions?: readonly PaletteAction[];
  /** By kind, besides opening one and copying its address. */
  resourceActions?: Readonly<Record<string, readonly ResourceAction[]>>;
}

/** Something to be said above every page, to whom it concerns; what it loads shows nothing while there is nothing to say. */
export interface Notice {
  name: string;
  write: Resource;
  load: () => Promise<ComponentType>;
}

/** What a capability adds to the console. */
export interface ConsoleFeature {
  name: string;
  pages: readonly Page[];
  nav?: readonly NavItem[];
  notices?: readonly Notice[];
  /** What has a name, and an owner here. */
  resources?: readonly ResourceKind[];
  /** Fetched when the command palette is opened for the first time. */
  palette?: () => Promise<PalettePart>;
  /** Kinds of documents that people read, write and apply. */
  documents?: readonly ConsoleDocumentKind[];
  /** To resources that other features own. */
  contributes?: Contributions;
}
