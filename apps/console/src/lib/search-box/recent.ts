import { readStoredJson, writeStored } from "@mainstay/ui/browser-storage.ts";
import type { Offer } from "./SearchAssist.tsx";

const most = 6;
const keyOf = (of: string, personId: string | undefined) =>
  `mainstay.searches.${of}.${personId ?? "anybody"}`;
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

const readTexts = (of: string, personId: string | undefined): string[] =>
  (readStoredJson(keyOf(of, personId), isTexts) ?? []).slice(0, most);

/** What was searched for, the latest first; each person of a shared browser has searches of their own. */
export const readSearches = (of: string, personId: string | undefined): Offer[] =>
  readTexts(of, personId).map((search) => ({
    id: `recent ${search}`,
    label: search,
    insert: search,
    isWhole: true,
    isRecent: true,
  }));

export function rememberSearch(of: string, personId: string | undefined, text: string): void {
  const others = readTexts(of, personId).filter((one) => one !== text.trim());
  writeStored(keyOf(of, personId), JSON.stringify([text.trim(), ...others].slice(0, most)));
}
