import type { DryRunReply, RunResult } from "@mainstay/contract/health.ts";
import { post } from "#lib/api.ts";
import type { TriedText } from "#lib/documents/document-kinds.ts";
import { runTimeoutMs } from "../mutations.ts";
import { checksInText } from "./form/checks-in-text.ts";
import { askedBy } from "./form/main-fields.ts";
import { RunResults } from "./RunResults.tsx";

/** The checks of a text, run once; nothing is stored. */
export async function runOnce({ text, id, signal }: TriedText) {
  const { results } = await post<DryRunReply>(
    "/api/canary/run/document",
    { document: text, ...(id !== undefined && { id }) },
    { timeoutMs: runTimeoutMs, signal },
  );
  const checks = checksInText(text)?.checks ?? [];
  const asked = ({ type, name }: RunResult) => {
    const written = checks.find((one) => one.type === type && one.check["name"] === name);
    return written ? askedBy(written.type, written.check) : "";
  };
  return <RunResults results={results ?? []} asked={asked} />;
}
