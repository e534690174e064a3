/** Characters of a note on an item of the catalog, and how many notes an item has. */
export const longestNote = 10_000;
export const mostNotes = 1_000;
