import { useSyncExternalStore } from "react";

/** Whether the server could be reached when it was last asked. One that takes too long was reached. */
let isReachable = true;
let answeredAt: number | undefined;
const listeners = new Set<() => void>();

function note(is: boolean): void {
  if (is === isReachable) return;
  isReachable = is;
  for (const listener of listeners) listener();
}

export function noteAnswer(): void {
  answeredAt = Date.now();
  note(true);
}
export const noteNoAnswer = (): void => note(false);

/** When the server answered last; undefined when it never has. */
export const lastAnswer = (): number | undefined => answeredAt;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

export type Reach = "reached" | "offline" | "silent";

/** What stands between this page and the server: nothing, no network, or no answer. */
export const reachNow = (): Reach =>
  !navigator.onLine ? "offline" : isReachable ? "reached" : "silent";

export const useReach = (): Reach => useSyncExternalStore(subscribe, reachNow);
