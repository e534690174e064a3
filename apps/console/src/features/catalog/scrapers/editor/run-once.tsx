import type { ScrapeTrialReply } from "@mainstay/contract/catalog-trial.ts";
import { post } from "#lib/api.ts";
import type { TriedText } from "#lib/documents/document-kinds.ts";
import { ScrapeResults } from "./ScrapeResults.tsx";

/** Longer than the server tries. */
const timeoutMs = 90_000;

/** The scrapers of a text, run once; nothing is stored. */
export async function runOnce({ text, id, signal }: TriedText) {
  const { results, notices } = await post<ScrapeTrialReply>(
    "/api/catalog/scrapers/run/document",
    { document: text, ...(id !== undefined && { id }) },
    { timeoutMs, signal },
  );
  return <ScrapeResults results={results ?? []} {...(notices && { notices })} />;
}
