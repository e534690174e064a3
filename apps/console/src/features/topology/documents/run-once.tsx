import type { TopologyTrialReply } from "@mainstay/contract/topology-trial.ts";
import { post } from "#lib/api.ts";
import { TrialResults } from "./TrialResults.tsx";

/** Longer than the server tries. */
const timeoutMs = 90_000;

/** The topologies of a text, looked up once; nothing is stored. */
export async function runOnce({ text, id }: { text: string; id?: string }) {
  const { results } = await post<TopologyTrialReply>(
    "/api/topology/run/document",
    { document: text, ...(id !== undefined && { id }) },
    { timeoutMs },
  );
  return <TrialResults results={results ?? []} />;
}
