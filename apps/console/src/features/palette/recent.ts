import { readStoredJson, writeStored } from "@mainstay/ui/browser-storage.ts";

export interface RecentResource {
  kind: string;
  id: string;
  name: string;
  namespace: string;
  type: string;
}

/** What somebody went to from the palette. */
export type Recent = { kind: "page"; to: string } | RecentResource;

const most = 6;
const keyOf = (personId: string | undefined) => `mainstay.recent.${personId ?? "anybody"}`;

const isText = (value: unknown): value is string => typeof value === "string";
function isRecent(value: unknown): value is Recent {
  if (typeof value !== "object" || value === null) return false;
  const { kind, to, id, name, namespace, type } = value as Record<string, unknown>;
  return kind === "page" ? isText(to) : [kind, id, name, namespace, type].every(isText);
}
const isList = (value: unknown): value is Recent[] => Array.isArray(value) && value.every(isRecent);

const identityOf = (entry: Recent) => `${entry.kind}:${"to" in entry ? entry.to : entry.id}`;

/** The latest first; each person of a shared browser has a list of their own. */
export const readRecent = (personId: string | undefined): Recent[] =>
  (readStoredJson(keyOf(personId), isList) ?? []).slice(0, most);

export function rememberRecent(personId: string | undefined, entry: Recent): void {
  const others = readRecent(personId).filter((one) => identityOf(one) !== identityOf(entry));
  writeStored(keyOf(personId), JSON.stringify([entry, ...others].slice(0, most)));
}
