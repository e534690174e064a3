import { createHash } from "node:crypto";
import { storableJson, storableText } from "#platform/db/storable-text.ts";
import type { ScrapedChange } from "../scraping/scraped.ts";

/** A change as it is written. */
export interface StoredChange {
  configId: string;
  change: ScrapedChange;
  /** Tells changes that say the same; nothing where the source has ids for them. */
  fingerprint: string | null;
  count: number;
  createdAt: Date;
  firstObserved: Date;
  /** So many of the newest of its type are kept of the item. */
  newest?: number;
}

/** Numbers, ids and times: what differs between two tellings of the same. */
const varying = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{16,}\b|\d+/gi;

export function fingerprintOf(configId: string, change: ScrapedChange): string {
  const said = change.patches ?? change.details ?? change.summary ?? null;
  return createHash("sha256")
    .update(`${configId}\0${change.changeType}\0${change.severity ?? ""}\0${change.source ?? ""}\0`)
    .update(storableJson(said).replaceAll(varying, "#"))
    .digest("hex");
}

/** Changes that say the same within this long are one. Source: server contract, section 14. */
export const foldWithinMs = 3600_000;

/** Changes that say the same are one that has happened so often, when each is so soon after the one before. */
export function foldChanges(changes: readonly StoredChange[]): StoredChange[] {
  const folded: StoredChange[] = [];
  const last = new Map<string, StoredChange>();
  const byTime = changes.toSorted((one, other) => +one.createdAt - +other.createdAt);
  for (const change of byTime) {
    const key = `${change.configId}/${change.fingerprint ?? storableText(change.change.externalChangeId ?? "")}`;
    const known = last.get(key);
    if (known && change.fingerprint === null) Object.assign(known, change);
    else if (known && +change.createdAt - +known.createdAt <= foldWithinMs)
      Object.assign(known, {
        count: known.count + change.count,
        createdAt: change.createdAt,
        change: change.change,
      });
    else {
      const first = { ...change };
      last.set(key, first);
      folded.push(first);
    }
  }
  return folded;
}
