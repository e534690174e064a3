import { useSyncExternalStore } from "react";

export interface Toast {
  id: number;
  kind: "done" | "failed";
  message: string;
  action?: { label: string; onSelect: () => void; isUndo?: boolean } | undefined;
}

/** Document 1, section 9: toasts last 5 seconds. Failures stay until they are dismissed. */
export const toastMs = 5_000;
/** One that offers to take something back stays until that has been thought about. */
export const undoMs = 20_000;
const mostShown = 5;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function replace(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

export function dismissToast(id: number): void {
  replace(toasts.filter((toast) => toast.id !== id));
}

function add(toast: Omit<Toast, "id">): void {
  // The same failure again says nothing new: it is shown once, as the latest.
  const others = toasts.filter(
    (shown) => shown.kind !== toast.kind || shown.message !== toast.message,
  );
  lastId += 1;
  replace([...others, { ...toast, id: lastId }].slice(-mostShown));
}

export const toastDone = (message: string, action?: Toast["action"]): void =>
  add({ kind: "done", message, action });
export const toastFailed = (message: string): void => add({ kind: "failed", message });

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useToasts = (): readonly Toast[] => useSyncExternalStore(subscribe, () => toasts);

/** Copies text and says so, or says why not (texts: document 1, section 2). Whether it was copied. */
export async function copyText(text: string, done = "Copied to clipboard"): Promise<boolean> {
  if (!("clipboard" in navigator) || navigator.clipboard === undefined) {
    toastFailed("Clipboard not available");
    return false;
  }
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    toastFailed("Failed to copy to clipboard");
    return false;
  }
  toastDone(done);
  return true;
}
