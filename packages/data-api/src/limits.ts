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
