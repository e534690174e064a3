import type { DryRunReply } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { tooMany } from "#platform/errors.ts";
import type { Connector } from "../check-types/index.ts";
import { readDocuments } from "../documents/save-documents.ts";
import { runDocuments } from "./run-documents.ts";

const MOST_CHECKS = 100;
const LONGEST_MS = 60_000;
/** Dry runs of one server at the same time. */
const MOST_RUNS = 8;
let running = 0;

/** Runs the checks of a text once, stores nothing, and says what came out. */
export async function dryRun(
  ctx: Ctx,
  { text, connector }: { text: string; connector: Connector },
): Promise<DryRunReply> {
  ctx.require("canaries", "write");
  const documents = readDocuments(text);
  if (running >= MOST_RUNS)
    throw tooMany("Several documents are being tried already. Try again in a moment.");
  running += 1;
  try {
    const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(LONGEST_MS)]);
    const results = await runDocuments(documents, {
      connector,
      signal,
      mostChecks: MOST_CHECKS,
      longestMs: LONGEST_MS / 2,
    });
    return { results };
  } finally {
    running -= 1;
  }
}
