import type { DocumentNotice } from "./documents/saved-documents.ts";

/** `POST /api/catalog/scrapers/run/document`: what scrapers find that are not stored; of much the first is shown. */

export interface TriedItem {
  external_id: string;
  type: string;
  name: string;
  health: string | null;
  status: string | null;
  tags: Readonly<Record<string, string>>;
  /** What is configured; left out of later items, and where it is large. */
  config?: unknown;
}

export interface TriedChange {
  /** External id of its item. */
  item: string;
  change_type: string;
  severity: string | null;
  summary: string | null;
  created_at: string | null;
}

export interface TriedInsight {
  /** External id of its item. */
  item: string;
  analyzer: string;
  severity: string;
  summary: string | null;
}

/** Between external ids, or what an item is looked for by. */
export interface TriedRelation {
  from: string;
  relation: string;
  to: string;
}

export interface ScrapeTrial {
  /** Namespace and name of the document. */
  scraper: string;
  /** Nothing failed, and all that there is was read. */
  complete: boolean;
  /** How many there were; fewer may be shown. */
  found: { items: number; changes: number; insights: number };
  items: TriedItem[];
  changes: TriedChange[];
  insights: TriedInsight[];
  /** Of the items that are shown. */
  relations: TriedRelation[];
  errors: string[];
  warnings: string[];
}

export interface ScrapeTrialReply {
  results: ScrapeTrial[];
  /** What of the text was skipped or is read by nothing. */
  notices?: DocumentNotice[];
}
