import type { ComponentType, ReactNode } from "react";
import type { IconMark } from "@mainstay/ui/Icon.tsx";
import type { Gate } from "../use-access.ts";

/**
 * The kinds of resource that features add to without owning them, and what their guests are given. Whoever owns a kind
 * says so in its own folder, so that a contribution that wants anything else does not compile:
 *
 *     declare module "#lib/places/place.ts" {
 *       interface PlaceData { check: { given: { check: CheckRowDetail }; row: { check: CheckSummary } } }
 *     }
 *
 * `given` is one of them, as its page or dialog has it; `row` is one as a list has it.
 */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- filled by the features
export interface PlaceData {}

export type PlaceKind = keyof PlaceData;
export type Given<Kind extends PlaceKind> = PlaceData[Kind]["given"];
export type GivenRow<Kind extends PlaceKind> = PlaceData[Kind]["row"];

/** Components are functions here: what takes less than it is given fits, what wants more does not compile. */
export type Load<Props> = () => Promise<(props: Props) => ReactNode>;

/** What every guest says. It is there only for who passes its gate. */
interface Guest extends Gate {
  /** In the address and as a key: unique among the guests of a place. */
  id: string;
  /** Lower comes first; 100 unless said. Equals are in the order of the features. */
  order?: number;
}

export interface TabGuest<Props> extends Guest {
  label: string;
  load: Load<Props>;
  /** Beside the label, e.g. a count. */
  loadBadge?: Load<Props>;
}

/** Something to do: go somewhere, or open a dialog. */
export type ActionGuest<Props> = Guest & {
  label: string;
  icon: ComponentType<IconMark>;
  /** For some of them only. */
  isFor?: (props: Props) => boolean;
} & ({ to: (props: Props) => string } | { loadDialog: Load<Props & { onClose: () => void }> });

export interface PanelGuest<Props> extends Guest {
  title: string;
  load: Load<Props>;
  /** Beside the title, where panels are folded: e.g. a count. */
  loadBadge?: Load<Props>;
}

/** A column of a list. The cells are drawn by what is loaded; cells of one list ask one question between them. */
export interface ColumnGuest<Props> extends Guest {
  header: string;
  /** In pixels. */
  width: number;
  align?: "left" | "right";
  load: Load<Props>;
}

export interface Guests<Kind extends PlaceKind> {
  tabs?: readonly TabGuest<Given<Kind>>[];
  actions?: readonly ActionGuest<Given<Kind>>[];
  panels?: readonly PanelGuest<Given<Kind>>[];
  columns?: readonly ColumnGuest<GivenRow<Kind>>[];
}

/** What a feature adds to resources that it does not own. */
export type Contributions = { readonly [Kind in PlaceKind]?: Guests<Kind> };
