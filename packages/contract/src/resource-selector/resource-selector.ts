import { z } from "zod";
import { searchLimits } from "./search-query.ts";

const mostItems = 100;

/** PostgreSQL keeps neither the null character nor half of a surrogate pair. */
const isStorable = (text: string) => text.isWellFormed() && !text.includes("\0");
/** What somebody looks for. */
export const searchText = z
  .string()
  .max(searchLimits.length)
  .refine(isStorable, "This text has characters that cannot be stored.");
const optionalText = searchText.nullish();
/** What `parseMatchList` reads. */
export const filterText = searchText.refine(
  (items) => items.split(",").length <= mostItems,
  `A filter has at most ${mostItems} items.`,
);
const list = z.union([filterText, z.array(searchText).max(mostItems)]).nullish();

/**
 * Selects resources: everything that is given must hold, and a selector that gives nothing selects nothing. Unknown
 * keys are refused: one that is spelt wrongly would select more than was meant.
 */
export const ResourceSelector = z.strictObject({
  /** `self`, `local` or nothing for this server's own, `all`, or an agent's id or name. */
  agent: optionalText,
  /** Of checks the canary, of configs the scraper, of components the topology: its id, or `namespace/name`. */
  scope: optionalText,
  /** How old a remembered answer may be. Answers are never remembered here; the field is accepted. */
  cache: optionalText,
  search: optionalText,
  limit: z.number().int().min(0).max(searchLimits.rows).nullish(),
  includeDeleted: z.boolean().nullish(),
  id: optionalText,
  /** Names, namespaces, types and states: a filter list with `*` and `!`. */
  name: filterText.nullish(),
  namespace: filterText.nullish(),
  types: list,
  statuses: list,
  health: list,
  /** In the syntax of Kubernetes, like the following two. */
  labelSelector: optionalText,
  tagSelector: optionalText,
  fieldSelector: optionalText,
});
export type ResourceSelector = z.infer<typeof ResourceSelector>;

const selectors = z.array(ResourceSelector).max(50).nullish();

/** What a search asks for. */
export interface ResourceSearch {
  /** Of each kind; what a selector says itself counts as well. */
  limit?: number | null | undefined;
  /**
   * Where the words of searches are looked for: `name`, as everywhere in documents, is the beginning of a name; `text` is
   * anywhere in what a kind calls its text, as in the search boxes.
   */
  words?: "name" | "text" | null | undefined;
  /** By the name of a kind. Several selectors of a kind select what any of them does. */
  selectors: Partial<Record<string, ResourceSelector[] | null>>;
}

/** The body of `POST /api/resources/search`: `limit`, and selectors by the name of each kind that features declare. */
export const resourceSearch = (kinds: readonly string[]) =>
  z
    .object({
      limit: z.number().int().min(0).max(searchLimits.rows).nullish(),
      words: z.enum(["name", "text"]).nullish(),
      ...Object.fromEntries(kinds.map((kind) => [kind, selectors])),
    })
    .transform(({ limit, words, ...of }): ResourceSearch => ({ limit, words, selectors: of }));

/** One resource that was found; `agent` is an id. */
export interface FoundResource {
  id: string;
  agent: string;
  icon: string;
  name: string;
  namespace: string;
  type: string;
  tags: Record<string, string>;
  labels: Record<string, string>;
  /** How it is, of kinds that are healthy or not. */
  status?: string;
}

/** The answer: each kind that was asked for. */
export type FoundResources = Partial<Record<string, FoundResource[]>>;
