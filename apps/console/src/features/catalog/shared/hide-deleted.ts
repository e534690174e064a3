import { useSyncExternalStore } from "react";
import { readStored, writeStored } from "@mainstay/ui/browser-storage.ts";

const key = "mainstay.catalog.hide-deleted";
const listeners = new Set<() => void>();
/** Of this visit: the browser may refuse to keep it. */
let chosen: boolean | undefined;

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
};
const read = () => {
  const stored = readStored(key);
  return stored === null ? (chosen ?? true) : stored !== "false";
};

/** Whether what is gone is left out everywhere in the catalog; so unless the reader wants to see it. */
export const useHideDeleted = (): boolean => useSyncExternalStore(subscribe, read);

export function setHideDeleted(hide: boolean): void {
  chosen = hide;
  writeStored(key, hide ? null : "false");
  for (const listener of listeners) listener();
}
