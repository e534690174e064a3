import { messageOf } from "./api-error.ts";

/** Whether a part of the console was not found: one that a newer release replaced is, once the page is loaded again. */
export const isStaleChunk = (error: unknown): boolean =>
  /dynamically imported module|module script/i.test(messageOf(error));
