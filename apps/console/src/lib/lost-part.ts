import { lostPartWords } from "@mainstay/ui/lazy-part.tsx";
import { messageOf } from "./api-error.ts";

/** What the browser says of a part of the console that it could not fetch is an address; here it is said in words. */
export function wordLostParts(): void {
  addEventListener("vite:preloadError", ({ payload }) => (payload.message = lostPartWords));
}

/** Whether a part of the console was not found: one that a newer release replaced is, once the page is loaded again. */
export const isLostPart = (error: unknown): boolean => messageOf(error) === lostPartWords;
