import { createContext, useContext, useSyncExternalStore } from "react";

/** Which card the keyboard is at. Cards ask for themselves, so that a step draws two of them and not all. */
export interface ActiveCard {
  get: () => string;
  set: (id: string) => void;
  subscribe: (listener: () => void) => () => void;
}

export function createActiveCard(start: string): ActiveCard {
  let active = start;
  const listeners = new Set<() => void>();
  return {
    get: () => active,
    set: (id) => {
      if (id === active) return;
      active = id;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const ActiveCardContext = createContext<ActiveCard>(createActiveCard(""));

export function useIsActive(id: string): boolean {
  const active = useContext(ActiveCardContext);
  return useSyncExternalStore(active.subscribe, () => active.get() === id);
}

export function useActiveId(): string {
  const active = useContext(ActiveCardContext);
  return useSyncExternalStore(active.subscribe, active.get);
}
