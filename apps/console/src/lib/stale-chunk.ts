import { messageOf } from "./api-error.ts";

/** Whether a part of the console was not found: one that a newer release replaced is, once the page is loaded again. */
// "dynamically imported module" of Chromium and Firefox, "Importing a module script failed" of Safari.
export const isStaleChunk = (error: unknown): boolean =>
  /imported module|module script/.test(messageOf(error));
