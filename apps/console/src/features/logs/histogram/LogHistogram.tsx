import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { ZoomOut } from "lucide-react";
import { Button } from "@mainstay/ui/Button.tsx";
import { CountChart } from "@mainstay/ui/count-chart/CountChart.tsx";
import { toastFailed } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { levelKinds } from "../shared/levels.tsx";
import type { LogsQuestion } from "../shared/logs-view.ts";
import { logQueries } from "../shared/queries.ts";
import { timeText } from "../shared/time-text.ts";
import { loadGrammar, useGrammar } from "../shared/use-grammar.ts";
import type { LevelName } from "../search/edit-search.ts";

const buckets = 120;
const chartHeight = 120;

export interface LogHistogramProps {
  question: LogsQuestion;
  /** What the question's range is now, epoch ms. */
  from: number;
  to: number;
  attempt: number;
  query: string;
  onQuery: (query: string) => void;
  onZoom: (from: number, to: number) => void;
  onZoomOut: (() => void) | undefined;
}

/** How many lines of each level there were; its legend leaves levels out. */
export function LogHistogram(props: LogHistogramProps) {
  const { question, from, to, attempt, query, onZoomOut } = props;
  const histogram = useQuery(logQueries.histogram(question, { attempt, buckets }));
  const grammar = useGrammar(query !== "");
  const { data, error } = histogram;
  const bars = useMemo(
    () =>
      (data?.buckets ?? []).map(({ start, counts }) => {
        const begins = Date.parse(start);
        const parts = levelKinds.map(({ id }) => ({
          kind: id,
          count: counts[id as LevelName] ?? 0,
        }));
        return { from: begins, to: begins + (data?.step ?? 0), parts };
      }),
    [data],
  );
  const totals = useMemo(() => {
    const sums = new Map<string, number>();
    for (const { parts } of bars)
      for (const { kind, count } of parts) sums.set(kind, (sums.get(kind) ?? 0) + count);
    return sums;
  }, [bars]);
  const shown =
    grammar && grammar.readLogSearch(query).error === undefined
      ? grammar.levelsOf(query)
      : undefined;
  const toggle = (level: LevelName, only: boolean) => {
    loadGrammar().then(
      ({ toggleLevel }) => props.onQuery(toggleLevel(query, level, { only })),
      (failure: unknown) => toastFailed(messageOf(failure)),
    );
  };
  return (
    <section aria-label="Lines over time" className="shrink-0 border-b px-4 pt-2 pb-1">
      {error && !data ? (
        <p role="status" className="m-0 flex items-center gap-2 py-2 text-xs text-muted">
          How many lines there are over time could not be had: {messageOf(error)}
          <Button onClick={() => void histogram.refetch()}>Try again</Button>
        </p>
      ) : (
        <CountChart
          label="Lines over time"
          noun="lines"
          bars={bars}
          kinds={levelKinds}
          from={from}
          to={to}
          height={chartHeight}
          onZoom={props.onZoom}
          onZoomOut={onZoomOut}
        />
      )}
      {/* Bars that are missing look like lines that were never there. */}
      {[
        ...(data?.reached === undefined
          ? []
          : [`Counted back to ${timeText(data.reached)}; before that nobody counted.`]),
        ...(data?.notices ?? []),
      ].map((notice) => (
        <p key={notice} className="m-0 text-xs text-warning-fg">
          {notice}
        </p>
      ))}
      <div className="flex min-h-7 flex-wrap items-center gap-1">
        {levelKinds.toReversed().map(({ id, label, ink, opacity }) => {
          const level = id as LevelName;
          const isShown = shown?.has(level) ?? true;
          const count = totals.get(id) ?? 0;
          if (count === 0 && isShown) return null;
          return (
            <button
              key={id}
              type="button"
              aria-pressed={isShown}
              data-tooltip={`${isShown ? "Leave out" : "Show"} these lines\nwith Shift: only these`}
              onClick={(event) => toggle(level, event.shiftKey)}
              className={`flex h-6 items-center gap-1.5 rounded-control border-0 bg-transparent px-1.5 text-xs tabular-nums hover:bg-hover ${isShown ? "" : "text-muted line-through"}`}
            >
              <span
                aria-hidden="true"
                className="size-2.5 rounded-bar"
                style={{ background: `var(${ink})`, opacity: isShown ? opacity : 0.2 }}
              />
              {label}
              {/* Of those that are left out nobody counted any. */}
              {isShown && <span className="text-muted">{count.toLocaleString("en-GB")}</span>}
            </button>
          );
        })}
        {onZoomOut && (
          <Button
            kind="quiet"
            className="ml-auto h-6!"
            icon={<ZoomOut size={14} strokeWidth={1.75} />}
            onClick={onZoomOut}
          >
            Zoom out
          </Button>
        )}
      </div>
    </section>
  );
}
