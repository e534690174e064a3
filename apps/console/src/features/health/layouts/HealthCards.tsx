import { useEffect, useRef, useState, type ReactNode } from "react";
import { Age } from "@mainstay/ui/Age.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { formatDuration } from "@mainstay/ui/duration.ts";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { StatusStrip } from "@mainstay/ui/status-strip/StatusStrip.tsx";
import { useWindow } from "@mainstay/ui/data-table/use-window.ts";
import { CheckTypeIcon } from "../check/CheckTypeIcon.tsx";
import { latencyOf, type CheckGroup, type HealthCheck } from "../view/group-checks.ts";
import { CheckDot, CountsBar, reasonOf, Uptime } from "../list/NameCell.tsx";
import { NoResult } from "../check/NoResult.tsx";
import { sortChecks, type HealthRow } from "../view/health-rows.ts";

const cardWidth = 290;
const cardHeight = 112;
const gap = 12;
const dotsShown = 60;

function CheckCard({ item, onOpen }: { item: HealthCheck; onOpen: (item: HealthCheck) => void }) {
  const { check } = item;
  const latency = latencyOf(check);
  return (
    <button
      type="button"
      onClick={() => onOpen(item)}
      className="flex h-full w-full flex-col gap-1.5 rounded-card border bg-raised p-3 text-left hover:bg-hover"
    >
      <span className="flex w-full items-center gap-2">
        <CheckDot item={item} />
        <CheckTypeIcon type={check.type} size={14} />
        <span className="min-w-0 flex-1 truncate font-medium" data-tooltip={check.name}>
          {check.name}
        </span>
        {check.namespace !== "" && <Badge>{check.namespace}</Badge>}
      </span>
      <span className="h-4 w-full truncate text-xs text-muted">
        {item.state === "stale" ? (
          <NoResult check={check} />
        ) : (
          (reasonOf(item) ?? check.description ?? check.endpoint)
        )}
      </span>
      <span className="mt-auto flex w-full items-end justify-between gap-2 text-xs tabular-nums">
        <StatusStrip entries={check.recent} height={22} isOld={item.state === "stale"} />
        <span className="flex flex-col items-end">
          <Uptime passed={check.uptime?.passed ?? 0} failed={check.uptime?.failed ?? 0} />
          <span className="text-muted">
            {latency === undefined ? "–" : formatDuration(latency)}
          </span>
        </span>
      </span>
    </button>
  );
}

function GroupCard({ group, onOpen }: { group: CheckGroup; onOpen: (item: HealthCheck) => void }) {
  const members = sortChecks(group.checks, { sortBy: undefined, sortDesc: false });
  return (
    <section
      aria-label={group.name}
      className="flex h-full flex-col gap-2 rounded-card border bg-raised p-3"
    >
      <span className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium" data-tooltip={group.name}>
          {group.name}
        </span>
        <Age className="text-xs text-muted" at={group.aggregate.lastTransition} />
      </span>
      <CountsBar counts={group.aggregate.counts} />
      <span className="mt-auto flex max-h-9 flex-wrap gap-1 overflow-hidden">
        {members.slice(0, dotsShown).map((item) => (
          <button
            key={item.check.id}
            type="button"
            aria-label={`Open ${item.check.name}`}
            data-tooltip={item.check.name}
            onClick={() => onOpen(item)}
            className="flex size-4 items-center justify-center rounded-[3px] hover:bg-hover"
          >
            <CheckDot item={item} />
          </button>
        ))}
        {members.length > dotsShown && (
          <span className="text-2xs text-muted">+{members.length - dotsShown}</span>
        )}
      </span>
    </section>
  );
}

export interface HealthCardsProps {
  rows: readonly HealthRow[];
  onOpen: (item: HealthCheck) => void;
  isLoading: boolean;
  empty: ReactNode;
}

export function HealthCards({ rows, onOpen, isLoading, empty }: HealthCardsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [perLine, setPerLine] = useState(3);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const watcher = new ResizeObserver(() =>
      setPerLine(Math.max(1, Math.floor((element.clientWidth - 32 + gap) / (cardWidth + gap)))),
    );
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);

  const lines = useWindow(scroller, {
    count: Math.ceil(rows.length / perLine),
    lineHeight: cardHeight + gap,
    overscan: 4,
  });

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-auto">
      {isLoading && rows.length === 0 ? (
        <SkeletonRows label="loading data..." />
      ) : rows.length === 0 ? (
        empty
      ) : (
        <div
          className="p-4"
          style={{ paddingTop: 16 + lines.before, paddingBottom: 16 + lines.after }}
        >
          <div
            className="grid"
            style={{
              gap,
              gridAutoRows: cardHeight,
              gridTemplateColumns: `repeat(${perLine}, minmax(0, 1fr))`,
            }}
          >
            {rows
              .slice(lines.start * perLine, lines.end * perLine)
              .map((row) =>
                row.kind === "group" ? (
                  <GroupCard key={row.id} group={row} onOpen={onOpen} />
                ) : (
                  <CheckCard key={row.id} item={row.item} onOpen={onOpen} />
                ),
              )}
          </div>
        </div>
      )}
    </div>
  );
}
