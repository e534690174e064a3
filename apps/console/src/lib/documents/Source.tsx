import { Lock } from "lucide-react";
import { appliedSource, placeOf } from "@mainstay/contract/sources.ts";
import { whereToChange } from "./where-to-change.ts";

/** Where a document is kept; with a lock where that is not the console. */
export function Source({
  source,
  isDrifted = false,
}: {
  source: string | null;
  isDrifted?: boolean | undefined;
}) {
  const why = whereToChange(source);
  if (why === undefined) return <span className="text-muted">Console</span>;
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5" data-tooltip={why}>
      <Lock aria-label="Locked" size={14} strokeWidth={1.75} className="shrink-0 text-muted" />
      {/* What most are called would be cut off in every row of a list; the whole is told on demand. */}
      <span className="truncate">{source === appliedSource ? "a file" : placeOf(source)}</span>
      {isDrifted && (
        <span
          className="shrink-0 text-xs text-warning-fg"
          data-tooltip="It was changed here after its source applied it. Open it to see what."
        >
          drifted
        </span>
      )}
    </span>
  );
}
