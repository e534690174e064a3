import { useSyncExternalStore } from "react";
import { readStored, writeStored } from "./browser-storage.ts";

const densities = ["comfortable", "compact"] as const;
/** How much room lists take; rows are 35 pixels high unless somebody wants more of them on the screen. */
export type Density = (typeof densities)[number];

const key = "mainstay.density";
const listeners = new Set<() => void>();

function readDensity(): Density {
  return densities.find((density) => density === readStored(key)) ?? "comfortable";
}

function apply(): void {
  document.documentElement.dataset.density = readDensity();
  for (const listener of listeners) listener();
}

export function chooseDensity(density: Density): void {
  writeStored(key, density === "comfortable" ? null : density);
  apply();
}

/** Keeps to what was chosen, here and in other tabs. */
export function watchDensity(): void {
  apply();
  window.addEventListener("storage", (event) => {
    if (event.key === key) apply();
  });
}

export const useDensity = (): Density =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readDensity);
