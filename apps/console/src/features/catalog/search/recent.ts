import { readStoredJson, writeStored } from "@mainstay/ui/browser-storage.ts";
import type { SearchedKind } from "./searched-kind.ts";

const most = 6;
const keyOf = (of: SearchedKind, personId: string | undefined) =>
  `mainstay.searches.${of}.${personId ?? "anybody"}`;
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/** What was searched for, the latest first; each person of a shared browser has searches of their own. */
export const readSearches = (of: SearchedKind, personId: string | undefined): string[] =>
  (readStoredJson(keyOf(of, personId), isTexts) ?? []).slice(0, most);

export function rememberSearch(of: SearchedKind, personId: string | undefined, text: string): void {
  const others = readSearches(of, personId).filter((one) => one !== text.trim());
  writeStored(keyOf(of, personId), JSON.stringify([text.trim(), ...others].slice(0, most)));
}
