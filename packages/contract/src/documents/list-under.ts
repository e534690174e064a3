/** What stands under a key, as a list: one thing where a list of them could stand is one of them. */
export const listUnder = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
