import type {
  LogBackendTrial,
  LogBackendTrialReply,
} from "@mainstay/contract/logs/backend-trial.ts";
import { Age } from "@mainstay/ui/Age.tsx";
import { post } from "#lib/api.ts";
import type { TriedText } from "#lib/documents/document-kinds.ts";

/** Longer than the server asks. */
const timeoutMs = 75_000;

/** Every backend of a text, asked for its last line; nothing is stored. */
export async function testBackends({ text, id, signal }: TriedText) {
  const { results } = await post<LogBackendTrialReply>(
    "/api/logs/backends/test/document",
    { document: text, ...(id !== undefined && { id }) },
    { timeoutMs, signal },
  );
  return <TestResults results={results ?? []} />;
}

function TestResults({ results }: { results: readonly LogBackendTrial[] }) {
  if (results.length === 0)
    return <p className="m-0 text-sm text-muted">There is no backend in this text.</p>;
  return results.map(({ backend, type, line, error, notices = [] }) => (
    <section key={backend} aria-label={backend} className="flex flex-col gap-1">
      <h3 className="m-0 text-sm font-semibold break-words">
        {backend} <span className="font-normal text-muted">{type}</span>
      </h3>
      {error !== undefined && (
        <p role="alert" className="m-0 text-sm break-words text-unhealthy-fg">
          {error}
        </p>
      )}
      {error === undefined && line === undefined && (
        <p className="m-0 text-sm">It answered, and has no lines of the last 24 hours.</p>
      )}
      {line && (
        <>
          <p className="m-0 text-sm">
            It answered. Its last line: <Age at={line.timestamp} />
          </p>
          <pre className="m-0 max-h-40 overflow-auto rounded-control border bg-sunken p-2 font-mono text-xs break-words whitespace-pre-wrap">
            {line.message}
          </pre>
        </>
      )}
      {notices.map((notice) => (
        <p key={notice} className="m-0 text-sm break-words text-muted">
          {notice}
        </p>
      ))}
    </section>
  ));
}
