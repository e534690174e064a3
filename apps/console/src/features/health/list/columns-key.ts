/** Where the reader's columns of the list are kept. */
export const healthColumnsKey = "mainstay.columns.health";
