import { canaryFormat, type DryRunReply } from "@mainstay/contract";
import { type TrialInput, trialsOf } from "#features/documents/index.ts";
import type { Ctx } from "#platform/context.ts";
import type { Connector } from "../check-types/index.ts";
import { runDocuments } from "./run-documents.ts";
import { runnableParts } from "./runnable-parts.ts";

const mostChecks = 100;
const longestMs = 60_000;

const tryCanaries = trialsOf({
  format: canaryFormat,
  kind: { table: "canaries" },
  mostRuns: 8,
  longestMs,
});

/** Runs the checks of a text once, stores nothing, and says what came out. */
export const dryRun = (
  ctx: Ctx,
  { connector, ...input }: TrialInput & { connector: Connector },
): Promise<DryRunReply> =>
  tryCanaries(ctx, input, (documents, signal) =>
    runDocuments(documents, {
      ...runnableParts(ctx),
      connector,
      signal,
      mostChecks,
      longestMs: longestMs / 2,
    }),
  );
