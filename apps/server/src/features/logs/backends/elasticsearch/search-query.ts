import { type LogTerm, spellingsOf } from "@mainstay/contract";

/** The query language of Elasticsearch and OpenSearch, as far as searches for lines use it. */

type Clause = Record<string, unknown>;

export interface SearchFields {
  timestamp: string;
  message: string;
  /** Fields that may hold the level. */
  levels: readonly string[];
}

export interface SearchQuery {
  filter: Clause[];
  mustNot: Clause[];
  /** What cannot be asked. */
  left: LogTerm[];
  notices: string[];
}

const any = (clauses: readonly Clause[]): Clause =>
  clauses.length === 1 ? clauses[0]! : { bool: { should: clauses, minimum_should_match: 1 } };

/** Texts are kept whole beside their words where Elasticsearch makes the fields itself. */
const whole = (field: string) => [field, `${field}.keyword`];

/** One of these texts; an empty one is a line without the field as well. */
function isOneOf(field: string, values: readonly string[]): Clause {
  const said = values.filter((value) => value !== "");
  return any([
    ...(said.length > 0 ? whole(field).map((name) => ({ terms: { [name]: said } })) : []),
    ...(values.includes("") ? [{ bool: { must_not: [{ exists: { field } }] } }] : []),
  ]);
}

const inAnyCase = (words: readonly string[]) => [
  ...new Set(
    words.flatMap((word) => [
      word,
      word.toUpperCase(),
      `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`,
    ]),
  ),
];

export function searchQuery(
  { terms, labels }: { terms: readonly LogTerm[]; labels: Readonly<Record<string, string>> },
  { message, levels }: SearchFields,
  what: string,
): SearchQuery {
  const query: SearchQuery = { filter: [], mustNot: [], left: [], notices: [] };
  for (const [label, value] of Object.entries(labels)) query.filter.push(isOneOf(label, [value]));
  for (const term of terms) {
    const put = term.isNot ? query.mustNot : query.filter;
    if (term.kind === "text") {
      put.push({ match_phrase: { [message]: term.text } });
      query.notices = [`${what} looks for whole words, not for parts of them.`];
    } else if (term.kind === "label") put.push(isOneOf(term.label, term.values));
    else if (term.kind === "level") {
      const words = inAnyCase(term.levels.flatMap(spellingsOf));
      put.push(any(levels.flatMap(whole).map((field) => ({ terms: { [field]: words } }))));
    } else query.left.push(term);
  }
  return query;
}
