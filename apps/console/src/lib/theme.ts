import { useSyncExternalStore } from "react";
import { readStored, writeStored } from "@mainstay/ui/browser-storage.ts";

export type ThemeChoice = "light" | "dark" | "system";

/** `public/theme.js` reads the same key before the first paint. */
const key = "mainstay.theme";
const dark = () => window.matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

function readChoice(): ThemeChoice {
  const stored = readStored(key);
  return stored === "light" || stored === "dark" ? stored : "system";
}

function apply(): void {
  const choice = readChoice();
  const isDark = choice === "dark" || (choice === "system" && dark().matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  for (const listener of listeners) listener();
}

export function chooseTheme(choice: ThemeChoice): void {
  writeStored(key, choice === "system" ? null : choice);
  apply();
}

/** Keeps following the system, and other tabs. */
export function watchTheme(): void {
  apply();
  dark().addEventListener("change", apply);
  window.addEventListener("storage", (event) => {
    if (event.key === key) apply();
  });
}

export const useThemeChoice = (): ThemeChoice =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readChoice);
