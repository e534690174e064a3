import type { DocumentFormat, DocumentNotice, ParsedDocument } from "@mainstay/contract";
import { recordDryRun } from "#features/audit/index.ts";
import type { Ctx } from "#platform/context.ts";
import type { DocumentKind } from "#platform/documents/document-kind.ts";
import { fillStored } from "#platform/documents/fill-stored.ts";
import { inDocument } from "#platform/documents/locate-code.ts";
import { readDocuments } from "#platform/documents/save-documents.ts";
import { type AppError, invalid, tooMany } from "#platform/errors.ts";
import { refuseCode } from "#platform/require-code.ts";

/** How documents of a kind are tried. */
export interface TrialRules<Spec> {
  format: DocumentFormat<Spec>;
  /** Where its rows and their secrets are. */
  kind: Pick<DocumentKind, "table" | "exactSource">;
  /** Documents of one text; any number when absent. */
  mostDocuments?: number;
  /** Texts that one server tries at the same time. */
  mostRuns: number;
  /** How long all documents of a text take at most, before the signal is aborted. */
  longestMs: number;
}

/** A text of documents that are not stored; placeholders of secrets stand for those of the row with the id. */
export interface TrialInput {
  text: string;
  id?: string | undefined;
}

/** Runs a text's documents, with their secrets in place, and says what came out of each. */
export type Try<Spec> = <Result>(
  ctx: Ctx,
  input: TrialInput,
  run: (documents: ParsedDocument<Spec>[], signal: AbortSignal) => Promise<Result[]>,
) => Promise<{ results: Result[]; notices: DocumentNotice[] }>;

/**
 * The one way in which documents are tried without being stored: whoever may write them may, what reaches into the
 * server's machine is refused to whoever may not have it so, before secrets are opened and again with what they hold, and
 * that it was tried or refused is written to the audit log before anything runs.
 */
export function trialsOf<Spec>({
  format,
  kind,
  mostDocuments = Number.POSITIVE_INFINITY,
  mostRuns,
  longestMs,
}: TrialRules<Spec>): Try<Spec> {
  let running = 0;

  function refusalOf(
    ctx: Ctx,
    text: string,
    documents: readonly ParsedDocument<Spec>[],
  ): AppError | undefined {
    for (const { source, index } of documents) {
      const refusal = refuseCode(ctx, format.codeIn?.(source) ?? [], inDocument(text, index));
      if (refusal) return refusal;
    }
    return undefined;
  }

  return async (ctx, { text, id }, run) => {
    ctx.require(format.resource, "write");
    const { documents: written, notices } = readDocuments(text, [format]);
    if (written.length > mostDocuments)
      throw invalid(
        `The text has ${written.length} documents: at most ${mostDocuments} are tried at a time.`,
      );
    if (running >= mostRuns)
      throw tooMany("Several documents are being tried already. Try again in a moment.");
    running += 1;
    try {
      const refusal = refusalOf(ctx, text, written);
      await recordDryRun(ctx, { text, documents: written, isRefused: refusal !== undefined });
      if (refusal) throw refusal;
      const documents = await fillStored(
        ctx,
        { ...kind, format },
        { text, id, documents: written },
      );
      // What is sealed could be more than it seems.
      const hidden = refusalOf(ctx, text, documents);
      if (hidden) throw hidden;
      const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(longestMs)]);
      return { results: await run(documents, signal), notices };
    } finally {
      running -= 1;
    }
  };
}
