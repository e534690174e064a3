import { useInfiniteQuery } from "@tanstack/react-query";
import { ArrowUp, Copy, Layers, Pause, Play, Radio, WrapText, X } from "lucide-react";
import { Suspense, useMemo, useRef, useState } from "react";
import { readStored, writeStored } from "@mainstay/ui/browser-storage.ts";
import { classNames } from "@mainstay/ui/class-names.ts";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { TimeRangePicker } from "@mainstay/ui/time-range/TimeRangePicker.tsx";
import { resolveRange } from "@mainstay/ui/time-range/time-range.ts";
import { copyText, toastFailed } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { PageBar } from "#lib/PageBar.tsx";
import { SearchBox } from "#lib/search-box/SearchBox.tsx";
import { toServerTime } from "#lib/server-clock.ts";
import { useUrlState } from "#lib/url-state.ts";
import { afterChoice, evidenceOf } from "../shared/evidence-lines.ts";
import { groupLines } from "../shared/group-lines.ts";
import { linesOf, noticesOf, sourcesOf } from "../shared/line-pages.ts";
import {
  logsCodec,
  type LogsQuestion,
  type LogsView,
  mostSelected,
  sourceOf,
  usualRange,
} from "../shared/logs-view.ts";
import { logQueries } from "../shared/queries.ts";
import { useGrammar } from "../shared/use-grammar.ts";
import { DownloadMenu } from "./DownloadMenu.tsx";
import { LineTable } from "./LineTable.tsx";
import { Looked } from "./Looked.tsx";
import { SourcePicker } from "./SourcePicker.tsx";
import { useLiveLines } from "./use-live-lines.ts";

/** Document 2, section 9. */
const searchMs = 500;
const wrapKey = "mainstay.logs.wrap";

const Assist = lazyPart(() =>
  import("../search/LogSearchAssist.tsx").then((module) => module.LogSearchAssist),
);
const Histogram = lazyPart(() =>
  import("../histogram/LogHistogram.tsx").then((module) => module.LogHistogram),
);

/** What is asked, and which asking it is: a question whose range is counted from now is another one each time. */
interface Asking {
  key: string;
  question: LogsQuestion;
  from: number;
  to: number;
  attempt: number;
  /** The line around which it begins. */
  line: string;
}

const keyOf = ({ component, selector, backend, query, timeRange }: LogsView): string =>
  JSON.stringify([component, selector, backend, query.trim(), timeRange]);

function askNow(view: LogsView, line: string, attempt: number): Asking {
  const now = toServerTime(Date.now());
  const { from, to } = resolveRange(view.timeRange, now) ??
    resolveRange(usualRange, now) ?? { from: now - 3_600_000, to: now };
  // Lines that come while the answer is on its way belong to it.
  const isOpen = view.timeRange.kind === "relative" && view.timeRange.to === "now";
  const query = view.query.trim();
  return {
    key: keyOf(view),
    attempt,
    line,
    from,
    to,
    question: {
      ...sourceOf(view),
      ...(query !== "" && { query }),
      start: new Date(from).toISOString(),
      ...(!isOpen && { end: new Date(to).toISOString() }),
    },
  };
}

function useAsking(view: LogsView): [Asking, (line?: string) => void] {
  const [asking, setAsking] = useState(() => askNow(view, view.line, 0));
  const again = (line = "") => setAsking(askNow(view, line, asking.attempt + 1));
  if (asking.key === keyOf(view)) return [asking, again];
  const next = askNow(view, view.line, asking.attempt + 1);
  setAsking(next);
  return [next, again];
}

/** How many lines there are: those that are held, of how many, and whether there are more. */
function countText(of: { held: number; total: number | undefined; hasMore: boolean }): string {
  const { held, total, hasMore } = of;
  const inWords = (count: number) => count.toLocaleString("en-GB");
  if (total !== undefined && total > held) return `${inWords(held)} of ${inWords(total)} lines`;
  const lines = held === 1 ? "1 line" : `${inWords(held)} lines`;
  return hasMore ? `${lines} so far` : lines;
}

/** /logs: lines of components, log backends, and the server's own store. */
export function LogsPage() {
  const [view, change] = useUrlState(logsCodec);
  const [asking, askAgain] = useAsking(view);
  const { question } = asking;
  const source = useMemo(() => sourceOf(view), [view]);
  const grammar = useGrammar(view.query.trim() !== "");
  const mistake = view.query.trim() === "" ? undefined : grammar?.readLogSearch(view.query).error;
  const isReadable = view.query.trim() === "" || (grammar !== undefined && mistake === undefined);
  const options = logQueries.lines(question, { line: asking.line, attempt: asking.attempt });
  const held = useInfiniteQuery({ ...options, enabled: isReadable });
  const { data, error, fetchNextPage, fetchPreviousPage, hasNextPage, hasPreviousPage } = held;

  const tailPath = `/api/logs/tail?${new URLSearchParams({
    ...source,
    ...(question.query !== undefined && { query: question.query }),
  })}`;
  const live = useLiveLines({
    isOn: view.live && isReadable,
    path: tailPath,
    queryKey: options.queryKey,
    isIdle: !held.isFetching,
    onLost: () => askAgain(),
  });

  const lines = useMemo(() => (data ? linesOf(data) : []), [data]);
  const rows = useMemo(() => groupLines(lines, view.dedupe), [lines, view.dedupe]);
  const notices = [
    ...(data ? noticesOf(data) : []),
    ...live.notices,
    ...(data ? sourcesOf(data) : []).flatMap(({ name, error: why }) =>
      why === undefined ? [] : [`${name} did not answer: ${why}`],
    ),
  ];

  const [wraps, setWraps] = useState(() => readStored(wrapKey) === "true");
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => new Set([view.line]));
  const open = opened;
  const lastChosen = useRef<string>(undefined);
  const [isAtTop, setIsAtTop] = useState(true);
  /** Ranges that were zoomed into, the latest last. */
  const [zoomedFrom, setZoomedFrom] = useState<LogsView["timeRange"][]>([]);

  const anew = { line: "", selected: [] };
  const toggle = (id: string) => {
    const next = new Set(opened);
    const isOpening = !next.delete(id);
    if (isOpening) next.add(id);
    setOpened(next);
    if (isOpening || view.line === id) change({ line: isOpening ? id : "" }, { replace: true });
  };
  const choose = (id: string, withShift: boolean) => {
    const selected = afterChoice(lines, view.selected, { id, last: lastChosen.current, withShift });
    lastChosen.current = id;
    if (selected.length > mostSelected)
      return toastFailed(`At most ${mostSelected} lines can be chosen.`);
    change({ selected }, { replace: true });
  };
  const zoom = (from: number, to: number) => {
    setZoomedFrom([...zoomedFrom, view.timeRange]);
    change({
      ...anew,
      live: false,
      timeRange: {
        kind: "absolute",
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
      },
    });
  };
  const zoomOut = () => {
    setZoomedFrom(zoomedFrom.slice(0, -1));
    change({ ...anew, timeRange: zoomedFrom.at(-1) ?? usualRange });
  };
  const isIdle = !held.isFetching && !error;
  const { reached } = data?.pages.at(-1) ?? {};
  // Where the time for an answer was over, whoever reads says whether it goes on.
  const hasMore = hasNextPage && isIdle && reached === undefined;
  const loadOlder = useMemo(
    () => (hasMore ? () => void fetchNextPage() : undefined),
    [hasMore, fetchNextPage],
  );
  const hasNewer = hasPreviousPage && isIdle;
  const loadNewer = useMemo(
    () => (hasNewer ? () => void fetchPreviousPage() : undefined),
    [hasNewer, fetchPreviousPage],
  );
  const chosen = useMemo(
    () =>
      view.selected.length === 0
        ? []
        : Object.values(evidenceOf(lines, new Set(view.selected)).selected_lines),
    [lines, view.selected],
  );
  const copySelected = () => {
    void copyText(chosen.map(({ timestamp, message }) => `${timestamp} ${message}`).join("\n"));
  };
  const isBare = view.component === "" && view.backend === "" && view.query.trim() === "";
  const total = data?.pages.find((page) => page.total !== undefined)?.total;

  const looked = (
    <Looked
      reached={reached}
      from={asking.from}
      to={asking.to}
      isLooking={held.isFetchingNextPage}
      onFurther={() => void fetchNextPage()}
    />
  );
  const foot =
    hasNextPage && reached !== undefined && !error ? (
      <div className="py-3 text-xs text-muted">{looked}</div>
    ) : held.isFetchingNextPage ? (
      <p className="m-0 py-3 text-center text-xs text-muted">Loading older lines …</p>
    ) : error ? (
      <p role="alert" className="m-0 flex items-center justify-center gap-2 py-3 text-xs">
        {`More lines could not be read: ${messageOf(error)}`}
        <Button onClick={() => void fetchNextPage()}>Try again</Button>
      </p>
    ) : hasNextPage ? null : (
      <p className="m-0 py-3 text-center text-xs text-muted">No older lines in this time range</p>
    );

  return (
    <>
      <PageBar
        crumbs={[{ label: "Logs" }]}
        refresh={{
          onRefresh: () => askAgain(),
          isRefreshing: held.isFetching,
          updatedAt: held.dataUpdatedAt,
        }}
      />
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b px-4 py-2">
        <SourcePicker view={view} change={change} />
        <SearchBox
          label="Search logs"
          placeholder='level>=warn app=web "a phrase" -not'
          delayMs={searchMs}
          text={view.query}
          onSearch={(query) => change({ ...anew, query })}
          className="min-w-60 flex-1"
          renderAssist={(assist) => <Assist source={source} {...assist} />}
        />
        <TimeRangePicker
          value={view.timeRange}
          onChange={(timeRange) => {
            setZoomedFrom([]);
            change({ ...anew, timeRange });
          }}
        />
        <span className="flex flex-wrap items-center gap-1">
          <Button
            aria-pressed={view.live}
            icon={<Radio size={14} strokeWidth={1.75} />}
            onClick={() => change({ live: !view.live }, { replace: true })}
          >
            Live
          </Button>
          <IconButton
            label="Wrap lines"
            aria-pressed={wraps}
            icon={<WrapText size={14} strokeWidth={1.75} />}
            onClick={() => {
              writeStored(wrapKey, String(!wraps));
              setWraps(!wraps);
            }}
          />
          <IconButton
            label="Show repeated lines once"
            aria-pressed={view.dedupe}
            icon={<Layers size={14} strokeWidth={1.75} />}
            onClick={() => change({ dedupe: !view.dedupe }, { replace: true })}
          />
          <DownloadMenu question={question} />
        </span>
      </div>
      {isReadable && (
        <Suspense fallback={<div className="h-40 shrink-0 border-b" />}>
          <Histogram
            question={question}
            from={asking.from}
            to={asking.to}
            attempt={asking.attempt}
            query={view.query}
            onQuery={(query) => change({ ...anew, query })}
            onZoom={zoom}
            onZoomOut={zoomedFrom.length > 0 ? zoomOut : undefined}
          />
        </Suspense>
      )}
      <div
        className={classNames(
          "min-h-8 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-0.5 text-xs text-muted",
          mistake || (error && !data) ? "hidden" : "flex",
        )}
      >
        <span role="status" className="tabular-nums">
          {data &&
            countText({ held: lines.length, total, hasMore: hasNextPage || hasPreviousPage })}
        </span>
        {view.live && (
          <>
            <span>
              {live.state?.kind === "broken"
                ? "The connection broke: trying again"
                : live.state?.kind === "ended"
                  ? "Ended, as the page was out of sight"
                  : live.state?.kind === "live"
                    ? live.isPaused
                      ? "Paused"
                      : "Live"
                    : "Connecting …"}
            </span>
            <Button
              kind="quiet"
              className="h-6!"
              icon={
                live.isPaused ? (
                  <Play size={14} strokeWidth={1.75} />
                ) : (
                  <Pause size={14} strokeWidth={1.75} />
                )
              }
              onClick={() => live.pause(!live.isPaused)}
            >
              {live.isPaused ? "Go on" : "Pause"}
            </Button>
            {live.waiting > 0 && (
              <span className="tabular-nums">{`${live.waiting} came meanwhile`}</span>
            )}
            {live.skipped > 0 && (
              <span className="text-warning-fg tabular-nums">{`${live.skipped} were left out: too many came at once`}</span>
            )}
          </>
        )}
        {(!isAtTop || hasPreviousPage) && rows.length > 0 && (
          <Button
            kind="quiet"
            className="h-6!"
            icon={<ArrowUp size={14} strokeWidth={1.75} />}
            onClick={() => {
              change({ line: "" }, { replace: true });
              askAgain();
            }}
          >
            To the newest
          </Button>
        )}
        {view.selected.length > 0 && (
          <span className="ml-auto flex items-center gap-1 text-text">
            {`${view.selected.length} chosen`}
            <IconButton
              label="Copy chosen lines"
              className="size-6!"
              icon={<Copy size={14} strokeWidth={1.75} />}
              // They may stand in the address before any line has been read.
              disabled={chosen.length === 0}
              onClick={copySelected}
            />
            <IconButton
              label="Choose none"
              className="size-6!"
              icon={<X size={14} strokeWidth={1.75} />}
              onClick={() => change({ selected: [] }, { replace: true })}
            />
          </span>
        )}
      </div>
      {notices.length > 0 && (
        <ul
          aria-label="Notices"
          className="m-0 max-h-24 shrink-0 list-none overflow-auto border-b bg-warning-bg px-4 py-1 text-xs text-warning-fg"
        >
          {notices.map((notice) => (
            <li key={notice}>{notice}</li>
          ))}
        </ul>
      )}
      {mistake ? (
        <EmptyState title="The search has a mistake">
          {`${mistake.message[0]?.toUpperCase() ?? ""}${mistake.message.slice(1)}.`}
        </EmptyState>
      ) : error && !data ? (
        <ErrorDisplay
          title="The logs could not be read"
          message={messageOf(error)}
          onRetry={() => void held.refetch()}
        />
      ) : data === undefined ? (
        <div className="min-h-0 flex-1 overflow-hidden">
          <SkeletonRows label="loading data..." />
        </div>
      ) : rows.length === 0 ? (
        hasNextPage ? (
          <EmptyState title="Nothing found so far">{error ? foot : looked}</EmptyState>
        ) : isBare ? (
          <EmptyState title="Please select a component to view the logs">
            Or send lines to this server: programs do with POST /api/logs/ingest, and they stand
            here at once. There are none in this time range.
          </EmptyState>
        ) : (
          <EmptyState title="There are no logs matching the search query">
            Look at a longer time range, or search for less.
          </EmptyState>
        )
      ) : (
        <LineTable
          key={asking.attempt}
          rows={rows}
          view={view}
          source={source}
          wraps={wraps}
          open={open}
          onToggle={toggle}
          onChoose={choose}
          onQuery={(query) => change({ ...anew, query })}
          onOlder={loadOlder}
          onNewer={loadNewer}
          onTop={setIsAtTop}
          foot={foot}
        />
      )}
    </>
  );
}
