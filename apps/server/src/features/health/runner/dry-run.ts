import {
  type CanaryDocument,
  canaryFormat,
  codeInCanarySpec,
  type DryRunReply,
} from "@mainstay/contract";
import { recordDryRun } from "#features/audit/index.ts";
import type { Ctx } from "#platform/context.ts";
import { fillStored } from "#platform/documents/fill-stored.ts";
import { inDocument } from "#platform/documents/locate-code.ts";
import { readDocuments } from "#platform/documents/save-documents.ts";
import { type AppError, tooMany } from "#platform/errors.ts";
import { refuseCode } from "#platform/require-code.ts";
import type { Connector } from "../check-types/index.ts";
import { canarySealer } from "../documents/canary-sealer.ts";
import { runDocuments } from "./run-documents.ts";
import { runnableParts } from "./runnable-parts.ts";

const MOST_CHECKS = 100;
const LONGEST_MS = 60_000;
/** Dry runs of one server at the same time. */
const MOST_RUNS = 8;
let running = 0;

/** Runs the checks of a text once, stores nothing, and says what came out. */
export async function dryRun(
  ctx: Ctx,
  { text, id, connector }: { text: string; id?: string | undefined; connector: Connector },
): Promise<DryRunReply> {
  ctx.require("canaries", "write");
  const { documents: written, notices } = readDocuments(text, [canaryFormat]);
  if (running >= MOST_RUNS)
    throw tooMany("Several documents are being tried already. Try again in a moment.");
  running += 1;
  try {
    const refusal = findRefusal(ctx, text, written);
    await recordDryRun(ctx, { text, documents: written, isRefused: refusal !== undefined });
    if (refusal) throw refusal;
    const documents = await fillStored(
      ctx,
      { table: "canaries", sealer: canarySealer(ctx.config) },
      { text, id, documents: written },
    );
    const hidden = findRefusal(ctx, text, documents);
    if (hidden) throw hidden;
    const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(LONGEST_MS)]);
    const results = await runDocuments(documents, {
      ...runnableParts(ctx),
      connector,
      signal,
      mostChecks: MOST_CHECKS,
      longestMs: LONGEST_MS / 2,
    });
    return { results, notices };
  } finally {
    running -= 1;
  }
}

function findRefusal(
  ctx: Ctx,
  text: string,
  documents: readonly CanaryDocument[],
): AppError | undefined {
  for (const { source, index } of documents) {
    const refusal = refuseCode(ctx, codeInCanarySpec(source), inDocument(text, index));
    if (refusal) return refusal;
  }
  return undefined;
}
