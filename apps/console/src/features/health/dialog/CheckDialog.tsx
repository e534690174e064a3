import { useQuery, useQueryClient } from "@tanstack/react-query";
import { SquarePen, Tag } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { typesWithArtifacts } from "@mainstay/contract/artifacts.ts";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import { useClock } from "@mainstay/ui/clock.ts";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { Popover } from "@mainstay/ui/Popover.tsx";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { TimeRangePicker } from "@mainstay/ui/time-range/TimeRangePicker.tsx";
import type { TimeRange } from "@mainstay/ui/time-range/time-range.ts";
import { useMediaQuery } from "@mainstay/ui/use-media-query.ts";
import { useAccess } from "#lib/use-access.ts";
import { messageOf } from "#lib/api-error.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { HistoryLink } from "#lib/resources/HistoryLink.tsx";
import { paths } from "#lib/paths.ts";
import { PlaceActions } from "#lib/places/PlaceActions.tsx";
import { PlacePanels } from "#lib/places/PlacePanels.tsx";
import { type OwnTab, PlaceTabs } from "#lib/places/PlaceTabs.tsx";
import { toServerTime } from "#lib/server-clock.ts";
import { useUrlState } from "#lib/url-state.ts";
import { CheckChart } from "./CheckChart.tsx";
import { BeatAddress } from "./BeatAddress.tsx";
import { CheckHeader } from "./CheckHeader.tsx";
import { CheckSentence } from "./CheckSentence.tsx";
import { sentenceOf } from "./check-sentence.ts";
import { historyCodec } from "./history-view.ts";
import { RunButton, RunResultPanel } from "./RunNow.tsx";
import { CheckTypeIcon } from "../check/CheckTypeIcon.tsx";
import { rangeForAge } from "../check/health-range.ts";
import { HistoryTab, type HistoryTabProps } from "./HistoryTab.tsx";
import { useRunCheck } from "../mutations.ts";
import { checkQueries, type CheckRowDetail, runAgainMs } from "./queries.ts";
import { SpecTab } from "./SpecTab.tsx";

/** Document 1, section 2: the chart has a tab of its own on short screens. */
const shortQuery = "(max-height: 719px)";

function Labels({ labels }: { labels: Readonly<Record<string, string>> }) {
  const entries = Object.entries(labels).toSorted(([a], [b]) => a.localeCompare(b));
  if (entries.length === 0) return null;
  return (
    <Popover
      label="Labels"
      renderTrigger={(trigger) => (
        <Button icon={<Tag size={14} strokeWidth={1.75} />} {...trigger}>
          {entries.length === 1 ? "1 label" : `${entries.length} labels`}
        </Button>
      )}
    >
      {() => (
        <dl className="m-0 grid max-h-80 grid-cols-[auto_1fr] gap-x-3 gap-y-1 overflow-auto p-3 font-mono text-xs">
          {entries.map(([key, value]) => (
            <div key={key} className="contents">
              <dt className="text-muted">{key}</dt>
              <dd className="m-0 break-all">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </Popover>
  );
}

function leavesFiles({ type, spec }: CheckRowDetail): HistoryTabProps["leavesFiles"] {
  if (!typesWithArtifacts.includes(type)) return "never";
  return spec?.artifacts?.length ? "asked" : "perhaps";
}

const thresholdOf = ({ spec }: CheckRowDetail): number | undefined =>
  typeof spec?.thresholdMillis === "number" && spec.thresholdMillis > 0
    ? spec.thresholdMillis
    : undefined;

export interface CheckDialogProps {
  checkId: string;
  /** The range in the address, when one is there. */
  range: TimeRange | undefined;
  onRange: (range: TimeRange) => void;
  tab: string;
  onTab: (tab: string) => void;
  onClose: () => void;
}

/** Everything about one check: how it did over a range, its results, its document, what it belongs to. */
export function CheckDialog(props: CheckDialogProps) {
  const { checkId, range: givenRange, onRange, tab, onTab, onClose } = props;
  const client = useQueryClient();
  const {
    data: check,
    error,
    isPending,
    refetch,
  } = useQuery({ ...checkQueries.check(checkId), refetchInterval: runAgainMs });
  const isShort = useMediaQuery(shortQuery);
  const access = useAccess();
  const run = useRunCheck(checkId);
  const [history, changeHistory] = useUrlState(historyCodec);
  // Asked once: the range must not move with the clock, or with the next run, while somebody reads.
  const [openedAt] = useState(() => Date.now());
  const [firstRun, setFirstRun] = useState<string | null>();
  if (check && firstRun === undefined) setFirstRun(check.last_runtime ?? null);
  const range = givenRange ?? rangeForAge(firstRun, openedAt);
  const graph = useQuery({
    ...checkQueries.graph(checkId, range, {
      client,
      history: tab === "spec" ? undefined : history,
    }),
    enabled: !isPending && check !== null,
  });
  const now = graph.data?.now;

  /** What was shown before each zooming in. */
  const [before, setBefore] = useState<readonly TimeRange[]>([]);
  const showRange = (next: TimeRange, ranges: readonly TimeRange[]) => {
    setBefore(ranges);
    onRange(next);
    changeHistory({ pageIndex: 0 }, { replace: true });
  };
  const last = before.at(-1);
  const zoomOut = last && (() => showRange(last, before.slice(0, -1)));

  const tone = useClock((clock) => (now ? sentenceOf(now, toServerTime(clock)).tone : "unknown"));

  const lastRun = check?.last_runtime;
  const seenRun = useRef(lastRun);
  useEffect(() => {
    const isNew = seenRun.current !== undefined && seenRun.current !== lastRun;
    seenRun.current = lastRun;
    // The list follows: it is of the range that the graph names.
    if (isNew) void client.invalidateQueries({ queryKey: ["health", "graph", checkId] });
  }, [client, checkId, lastRun]);

  // A refresh that fails says so by itself, and what is shown stays.
  if ((error && !check) || check === null) {
    return (
      <Dialog title="Check" size="full" onClose={onClose}>
        {error ? (
          <ErrorDisplay
            title="The check could not be loaded"
            message={messageOf(error)}
            onRetry={() => void refetch()}
          />
        ) : (
          <EmptyState
            title="There is no such check"
            actions={<Button onClick={onClose}>Close</Button>}
          >
            It was deleted, or the link is wrong.
          </EmptyState>
        )}
      </Dialog>
    );
  }

  const chart = (
    <CheckChart
      graph={graph}
      thresholdMs={check && thresholdOf(check)}
      onZoom={(next) => showRange(next, [...before, range])}
      onZoomOut={zoomOut}
    />
  );
  const given = check && { check };
  const own: [OwnTab, ...OwnTab[]] = [
    {
      id: "history",
      label: "History",
      render: () =>
        check &&
        (graph.isError && !graph.data ? (
          <ErrorDisplay
            title="The history could not be loaded"
            message={messageOf(graph.error)}
            onRetry={() => void graph.refetch()}
          />
        ) : (
          <HistoryTab
            check={check}
            graph={graph.data}
            isOld={graph.isPlaceholderData}
            view={history}
            change={changeHistory}
            leavesFiles={leavesFiles(check)}
          />
        )),
    },
    ...(isShort ? [{ id: "graph", label: "Graph", render: () => chart }] : []),
    {
      id: "spec",
      label: "Spec",
      render: () => check && <SpecTab check={check} />,
    },
  ];
  return (
    <Dialog
      size="full"
      label={check?.name ?? "Check"}
      bodyClassName="p-0"
      onClose={onClose}
      title={
        <span className="flex min-w-0 items-center gap-2 max-tablet:flex-wrap max-tablet:gap-y-0.5">
          <span className="flex min-w-0 items-center gap-2 max-tablet:basis-full">
            {now && <StatusDot tone={tone} />}
            {check && <CheckTypeIcon type={check.type} />}
            {/* Where there is no room for a line there is some for several. */}
            <span className="truncate max-tablet:line-clamp-6 max-tablet:text-md max-tablet:break-words max-tablet:whitespace-normal">
              {check?.name ?? <span className="skeleton inline-block h-4 w-48" />}
            </span>
          </span>
          {check?.namespace && <Badge tooltip="Namespace">{check.namespace}</Badge>}
          {check?.agents?.name && <Badge tooltip="Agent">{check.agents.name}</Badge>}
        </span>
      }
      headerActions={check && <Labels labels={check.labels ?? {}} />}
      footer={
        check && (
          <>
            {access.may("write", "canaries") && access.isOn("settings.health") && (
              <AppLink
                to={paths.canary(check.canary_id)}
                className="inline-flex h-7 items-center gap-1.5 rounded-control border border-control bg-raised px-2.5 text-sm font-medium hover:bg-hover"
              >
                <SquarePen aria-hidden="true" size={14} strokeWidth={1.75} />
                Edit
              </AppLink>
            )}
            {(check.type === "heartbeat" || check.type === "webhook") &&
              access.may("write", "canaries") && <BeatAddress check={check} />}
            <HistoryLink kind="check" id={check.id} />
            <PlaceActions of="check" given={{ check }} />
            <RunButton run={run} now={now} />
          </>
        )
      }
    >
      <CheckSentence check={check} now={now} />
      <RunResultPanel run={run} />
      <div className="flex shrink-0 flex-wrap items-start justify-between gap-3 px-4 pt-3 pb-2">
        <CheckHeader check={check} graph={graph.data} isStale={graph.isPlaceholderData} />
        <TimeRangePicker value={range} onChange={(next) => showRange(next, [])} />
      </div>
      {!isShort && chart}
      {given && <PlacePanels of="check" given={given} />}
      <PlaceTabs of="check" label="Check" given={given} own={own} selected={tab} onSelect={onTab} />
    </Dialog>
  );
}
