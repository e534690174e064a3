import { useSyncExternalStore } from "react";
import { readStoredJson, writeStored } from "@mainstay/ui/browser-storage.ts";
import { isSortKey, type TopologySort, usualSort } from "./topology-view.ts";

/** What a reader has chosen for all pages of the topology; kept by this browser. */
export interface Preferences {
  /** Components that their source says are not to be seen. */
  showHidden: boolean;
  /** Pixels. */
  cardWidth: number;
  sort: TopologySort;
}

/** Document 2, section 2 and 9. */
export const cardSizes = { small: 198, medium: 258, large: 356, extra_large: 554 } as const;
export type CardSize = keyof typeof cardSizes;
export const widths = { least: 250, most: 768 } as const;

const usual: Preferences = {
  showHidden: false,
  cardWidth: cardSizes.large,
  sort: usualSort,
};

const key = "mainstay.topology";
const listeners = new Set<() => void>();

const isStored = (value: unknown): value is Partial<Record<keyof Preferences, unknown>> =>
  typeof value === "object" && value !== null;

export const inBounds = (width: number): number =>
  Math.round(Math.min(widths.most, Math.max(widths.least, width)));

function readSort(value: unknown): TopologySort {
  if (typeof value !== "object" || value === null) return usual.sort;
  const { by, isDescending } = value as Partial<Record<keyof TopologySort, unknown>>;
  return typeof by === "string" && isSortKey(by)
    ? { by, isDescending: isDescending === true }
    : usual.sort;
}

function readAll(): Preferences {
  const stored = readStoredJson(key, isStored) ?? {};
  const { showHidden, cardWidth, sort } = stored;
  return {
    showHidden: showHidden === true,
    cardWidth:
      typeof cardWidth === "number" && Number.isFinite(cardWidth)
        ? inBounds(cardWidth)
        : usual.cardWidth,
    sort: readSort(sort),
  };
}

let current: Preferences | undefined;
const read = () => (current ??= readAll());
const readAgain = () => {
  current = readAll();
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void) => {
  if (listeners.size === 0) window.addEventListener("storage", readAgain);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener("storage", readAgain);
  };
};

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, read);

export function setPreferences(change: Partial<Preferences>): void {
  // The browser may refuse to keep it: it holds for this visit then.
  current = { ...read(), ...change };
  writeStored(key, JSON.stringify(current));
  for (const listener of listeners) listener();
}

/** For tests: as after a visit with nothing kept. */
export function forgetPreferences(): void {
  writeStored(key, null);
  readAgain();
}
