/** What a request may cost. Each is reported with its number when it is passed; none cuts in silence. */
export const limits = {
  /** Characters of the query string. */
  queryLength: 65_536,
  /** Parameters in it. */
  parameters: 200,
  /** Embeds inside embeds. */
  selectDepth: 8,
  /** Columns and embeds in all levels of `select`. */
  selectItems: 400,
  /** Groups inside groups of `and`/`or`. */
  logicDepth: 10,
  /** Conditions in all filters together. */
  conditions: 200,
  /** Steps of one JSON path. */
  pathSteps: 20,
  /** Columns in one `order`. */
  orderTerms: 20,
  /** Values in all `in` lists together. */
  listValues: 10_000,
  /** Rows in one body. */
  bodyRows: 10_000,
  /** Lists and objects inside each other in a body. */
  bodyDepth: 1_000,
  /** Values in all rows of a body together. */
  bodyValues: 300_000,
} as const;

/**
 * What a request may cost where the data API itself guards the database (`DataApiOptions.limitsCosts`). The figures
 * that these rest on are in docs/data-api.md.
 */
export const costLimits = {
  /** Embeds inside embeds. */
  embedDepth: 5,
  /** Lists inside lists. */
  listDepth: 3,
  /** Embeds in all levels of `select`. */
  embeds: 20,
  /** Outputs of all levels that show the same column: its whole value or something of it. */
  sameColumn: 10,
  /** Rows in one embedded list; the answer says which were cut. */
  listRows: 1_000,
  /** Characters of one pattern or search. PostgreSQL does not stop in the middle of a `like` or a containment. */
  patternLength: 256,
  /** Characters of all of them. */
  patternLengths: 2_048,
  /** Characters of all values of `cs`, `cd` and `ov`. */
  containedLengths: 1_000,
  /** Regular expressions; PostgreSQL keeps 32 compiled and compiles what is more for every row. */
  expressions: 16,
  /** Atoms of all regular expressions, with every repetition written out. */
  expressionAtoms: 512,
} as const;
