import type { TopologyTrialReply } from "@mainstay/contract/topology-trial.ts";
import { post } from "#lib/api.ts";
import type { TriedText } from "#lib/documents/document-kinds.ts";
import { TrialResults } from "./TrialResults.tsx";

/** Longer than the server tries. */
const timeoutMs = 90_000;

/** The topologies of a text, looked up once; nothing is stored. */
export async function runOnce({ text, id, signal }: TriedText) {
  const { results } = await post<TopologyTrialReply>(
    "/api/topology/run/document",
    { document: text, ...(id !== undefined && { id }) },
    { timeoutMs, signal },
  );
  return <TrialResults results={results ?? []} />;
}
