import type { ScrapeTrialReply } from "@mainstay/contract/catalog-trial.ts";
import { post } from "#lib/api.ts";
import { ScrapeResults } from "./ScrapeResults.tsx";

/** Longer than the server tries. */
const timeoutMs = 90_000;

/** The scrapers of a text, run once; nothing is stored. */
export async function runOnce({ text, id }: { text: string; id?: string }) {
  const { results } = await post<ScrapeTrialReply>(
    "/api/catalog/scrapers/run/document",
    { document: text, ...(id !== undefined && { id }) },
    { timeoutMs },
  );
  return <ScrapeResults results={results ?? []} />;
}
