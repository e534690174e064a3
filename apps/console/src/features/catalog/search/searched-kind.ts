/** What a search box finds; each kind has fields of its own. */
export type SearchedKind = "items" | "changes" | "insights";
