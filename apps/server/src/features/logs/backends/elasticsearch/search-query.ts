import { type LineLevel, type LogTerm, spellingsOf } from "@mainstay/contract";

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

/**
 * What this field says, whatever kind it is: texts are kept whole beside their words (`.keyword`) where Elasticsearch makes
 * the fields itself. Of a field of words alone it is the words that count; a number is not a word, which is no mistake.
 */
const says = (field: string, whole: readonly string[], words: Clause[]): Clause =>
  any([
    { terms: { [`${field}.keyword`]: whole } },
    { bool: { filter: [any(words)], must_not: [exists(`${field}.keyword`)] } },
  ]);

const exists = (field: string): Clause => ({ exists: { field } });

/** One of these texts; an empty one is a line without the field as well. */
function isOneOf(field: string, values: readonly string[]): Clause {
  const said = values.filter((value) => value !== "");
  const words = said.map((query) => ({
    match: { [field]: { query, operator: "and", lenient: true } },
  }));
  return any([
    ...(said.length > 0 ? [says(field, said, words)] : []),
    ...(values.includes("") ? [{ bool: { must_not: [exists(field)] } }] : []),
  ]);
}

/** The first of these fields that a line has says one of these levels. */
export function isOfLevel(fields: readonly string[], levels: readonly LineLevel[]): Clause {
  const words = inAnyCase(levels.flatMap(spellingsOf));
  // A blank would be part of a word.
  const query = words.join("|");
  return any(
    fields.map((field, n) => {
      const found = says(field, words, [
        { simple_query_string: { query, fields: [field], flags: "OR", lenient: true } },
      ]);
      return n === 0
        ? found
        : { bool: { filter: [found], must_not: fields.slice(0, n).map(exists) } };
    }),
  );
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
    else if (term.kind === "level") put.push(isOfLevel(levels, term.levels));
    else query.left.push(term);
  }
  return query;
}
