import type { RunResult } from "@mainstay/contract/health.ts";
import { formatDuration } from "@mainstay/ui/duration.ts";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { CheckTypeIcon } from "../check/CheckTypeIcon.tsx";

/** What a dry run found. */
export function RunResults({
  results,
  asked,
}: {
  results: readonly RunResult[];
  /** What a check was pointed at, in words. */
  asked: (result: RunResult) => string;
}) {
  const untried = results.filter((result) => result.untried).length;
  const failed = results.filter((result) => !result.pass && !result.untried).length;
  const said = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(untried > 0 ? [`${untried} could not be tried`] : []),
  ];
  return (
    <section aria-label="Results" className="flex min-h-0 flex-col gap-2">
      <h3 className="m-0 text-xs font-semibold text-muted">
        {results.length === 0
          ? "The document has no checks that could be run"
          : `Ran ${results.length === 1 ? "1 check" : `${results.length} checks`}: ${said.length === 0 ? "all passed" : said.join(", ")}. Nothing was stored.`}
      </h3>
      <ul className="m-0 flex list-none flex-col gap-1.5 overflow-auto p-0">
        {results.map((result, index) => (
          <li key={index} className="rounded-control border bg-surface px-2.5 py-1.5">
            <span className="flex items-center gap-2">
              <StatusDot
                tone={result.untried ? "unknown" : result.pass ? "healthy" : "unhealthy"}
              />
              <CheckTypeIcon type={result.type} size={14} />
              <span className="min-w-0 flex-1 truncate font-medium">{result.name}</span>
              <span className="text-xs text-muted tabular-nums">
                {result.untried
                  ? "Could not be tried"
                  : `${result.pass ? "Passed" : "Failed"} in ${formatDuration(result.duration)}`}
              </span>
            </span>
            {asked(result) !== "" && (
              <p className="m-0 mt-1 font-mono text-2xs break-all text-muted">{asked(result)}</p>
            )}
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
