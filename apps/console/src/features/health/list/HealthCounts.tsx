import { classNames } from "@mainstay/ui/class-names.ts";
import { StatusDot, type Tone } from "@mainstay/ui/StatusDot.tsx";
import type { ChangeUrl } from "#lib/url-state.ts";
import type { Counts } from "../view/group-checks.ts";
import type { HealthView, StatusFilter } from "../view/health-view.ts";

const entries: readonly { status: StatusFilter; tone: Tone; word: string; isAlways?: boolean }[] = [
  { status: "healthy", tone: "healthy", word: "passing", isAlways: true },
  { status: "unhealthy", tone: "unhealthy", word: "failing", isAlways: true },
  { status: "warning", tone: "warning", word: "warning" },
  { status: "unknown", tone: "unknown", word: "unknown" },
];

const number = new Intl.NumberFormat();

/** How many pass, fail, and so on; each shows only its own when pressed. */
export function HealthCounts({
  counts,
  view,
  change,
}: {
  counts: Counts;
  view: HealthView;
  change: ChangeUrl<HealthView>;
}) {
  return (
    <fieldset aria-label="Status" className="flex shrink-0 items-center gap-1">
      {entries
        .filter(({ status, isAlways }) => isAlways || counts[status] > 0 || view.status === status)
        .map(({ status, tone, word }) => (
          <button
            key={status}
            type="button"
            aria-pressed={view.status === status}
            onClick={() => change({ status: view.status === status ? undefined : status })}
            className={classNames(
              "flex h-6 items-center gap-1.5 rounded-control border px-2 text-xs tabular-nums",
              view.status === status
                ? "border-accent bg-selected"
                : "border-transparent hover:bg-hover",
            )}
          >
            <StatusDot tone={tone} />
            <span className="font-medium">{number.format(counts[status])}</span>
            <span className="text-muted">{word}</span>
          </button>
        ))}
    </fieldset>
  );
}
