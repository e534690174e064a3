import {
  loggingBackendFormat,
  type LogBackendTrial,
  type LogBackendTrialReply,
} from "@mainstay/contract";
import { type TrialInput, trialsOf } from "#features/documents/index.ts";
import type { Ctx } from "#platform/context.ts";
import { type ListedBackend, backendsIn } from "./list-backends.ts";
import { loggingBackendKind } from "./logging-backend-kind.ts";

/** How old the last line may be, and how long a backend may take to find it. */
const dayMs = 86_400_000;
const longestMs = 15_000;

const trials = trialsOf({
  format: loggingBackendFormat,
  kind: loggingBackendKind,
  mostDocuments: 10,
  mostRuns: 3,
  longestMs: 60_000,
});

/** Asks every backend of a text for its last line, and stores nothing. */
export const tryBackends = (ctx: Ctx, input: TrialInput): Promise<LogBackendTrialReply> =>
  trials(ctx, input, async (documents, signal) => {
    const backends = documents.flatMap(({ name, namespace, source }) =>
      backendsIn({ id: input.id ?? name, name, namespace }, { document: source, failures: [] }),
    );
    return Promise.all(backends.map((one) => tryOne(ctx.with({ signal }), one)));
  });

async function tryOne(ctx: Ctx, { name, type, read }: ListedBackend): Promise<LogBackendTrial> {
  const timeout = AbortSignal.timeout(longestMs);
  const bounded = ctx.with({ signal: AbortSignal.any([ctx.signal, timeout]) });
  const now = ctx.clock.now();
  try {
    const { lines, notices } = await read(bounded, {
      search: { terms: [] },
      labels: {},
      from: new Date(+now - dayMs),
      to: now,
      limit: 1,
      direction: "backward",
    });
    const [line] = lines;
    return { backend: name, type, ...(line && { line }), ...(notices && { notices }) };
  } catch (error) {
    const late = `It did not answer within ${longestMs / 1000} seconds.`;
    const said = error instanceof Error ? error.message : String(error);
    return { backend: name, type, error: timeout.aborted || ctx.signal.aborted ? late : said };
  }
}
