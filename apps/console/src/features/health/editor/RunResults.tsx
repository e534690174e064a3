import type { RunResult } from "@mainstay/contract/health.ts";
import { formatDuration } from "@mainstay/ui/duration.ts";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { checkTypeMarks } from "../check/check-type-icon.ts";

/** What a dry run found. */
export function RunResults({ results }: { results: readonly RunResult[] }) {
  const failed = results.filter(({ pass }) => !pass).length;
  return (
    <section aria-label="Results" className="flex min-h-0 flex-col gap-2">
      <h3 className="m-0 text-xs font-semibold text-muted">
        {results.length === 0
          ? "The document has no checks that could be run"
          : `Ran ${results.length === 1 ? "1 check" : `${results.length} checks`}: ${failed === 0 ? "all passed" : `${failed} failed`}. Nothing was stored.`}
      </h3>
      <ul className="m-0 flex list-none flex-col gap-1.5 overflow-auto p-0">
        {results.map((result, index) => (
          <li key={index} className="rounded-control border bg-surface px-2.5 py-1.5">
            <span className="flex items-center gap-2">
              <StatusDot tone={result.pass ? "healthy" : "unhealthy"} />
              <Icon name={result.type} mark={checkTypeMarks[result.type]} size={14} />
              <span className="min-w-0 flex-1 truncate font-medium">{result.name}</span>
              <span className="text-xs text-muted tabular-nums">
                {result.pass ? "Passed" : "Failed"} in {formatDuration(result.duration)}
              </span>
            </span>
            {(result.error ?? result.message) && (
              <p
                className={`m-0 mt-1 max-h-32 overflow-auto text-xs break-words whitespace-pre-wrap ${result.error ? "text-unhealthy-fg" : "text-muted"}`}
              >
                {result.error ?? result.message}
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
