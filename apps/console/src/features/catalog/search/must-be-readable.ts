import { ApiError } from "#lib/api-error.ts";

/**
 * Throws what is wrong with a search, as the server would say it, without asking the server: it may come from an address
 * that somebody wrote. What reads it is fetched with the field that shows it.
 */
export async function mustBeReadable(text: string): Promise<void> {
  if (text.trim() === "") return;
  const { readSearch } = await import("@mainstay/contract/resource-selector/parse-search.ts");
  const { error } = readSearch(text.trim());
  if (error)
    throw new ApiError(`search, character ${error.at + 1}: ${error.message}.`, {
      status: 400,
      request: "search",
    });
}
