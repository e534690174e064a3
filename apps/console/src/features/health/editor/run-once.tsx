import type { DryRunReply } from "@mainstay/contract/health.ts";
import { post } from "#lib/api.ts";
import { runTimeoutMs } from "../mutations.ts";
import { RunResults } from "./RunResults.tsx";

/** The checks of a text, run once; nothing is stored. */
export async function runOnce({ text, id }: { text: string; id?: string }) {
  const { results } = await post<DryRunReply>(
    "/api/canary/run/document",
    { document: text, ...(id !== undefined && { id }) },
    { timeoutMs: runTimeoutMs },
  );
  return <RunResults results={results ?? []} />;
}
