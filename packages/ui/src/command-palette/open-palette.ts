import { useState, useSyncExternalStore } from "react";

let open = 0;
const watchers = new Set<() => void>();

const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

/** A palette is open from now until what is given back is called. */
export function paletteOpened(): () => void {
  const count = (by: 1 | -1) => {
    open += by;
    for (const watcher of watchers) watcher();
  };
  count(1);
  return () => count(-1);
}

/**
 * Whether this part came while a palette was open, and still is: what takes the keyboard waits, because somebody is
 * typing there already.
 */
export function useIsLate(): boolean {
  const isOpen = useSyncExternalStore(watch, () => open > 0);
  const [isLate, setIsLate] = useState(isOpen);
  if (isLate && !isOpen) setIsLate(false);
  return isLate && isOpen;
}
