import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import type { LogLine } from "@mainstay/contract/logs/log-answers.ts";
import { messageOf } from "#lib/api-error.ts";
import { LevelMark } from "../shared/levels.tsx";
import type { LogsQuestion } from "../shared/logs-view.ts";
import { logQueries } from "../shared/queries.ts";
import { timeText } from "../shared/time-text.ts";
import { withoutColours } from "../shared/without-colours.ts";

const sizes = [10, 50, 200] as const;
const longestShown = 2000;

/** What came directly before and after a line, whatever was searched for. */
export function LineContext({
  source,
  line,
}: {
  source: Pick<LogsQuestion, "id" | "name" | "backend">;
  line: LogLine;
}) {
  const [lines, setLines] = useState<number>(sizes[0]);
  const context = useQuery(logQueries.context(source, line, lines));
  const more = sizes.find((size) => size > lines);
  // It is the line itself that is looked for, whatever came before it.
  const list = useRef<HTMLOListElement>(null);
  const held = context.data;
  useLayoutEffect(() => {
    const own = list.current?.querySelector<HTMLElement>("[aria-current=true]");
    if (!held || !list.current || !own) return;
    list.current.scrollTop = own.offsetTop - (list.current.clientHeight - own.offsetHeight) / 2;
  }, [held]);
  if (context.isPending)
    return <p className="m-0 py-1 text-xs text-muted">Reading what is around …</p>;
  if (context.error)
    return (
      <p role="alert" className="m-0 flex items-center gap-2 py-1 text-xs text-unhealthy-fg">
        What is around the line could not be read: {messageOf(context.error)}
        <Button onClick={() => void context.refetch()}>Try again</Button>
      </p>
    );
  const { before, after, line: own } = context.data;
  return (
    <div className="flex flex-col gap-1">
      <ol
        ref={list}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it is scrolled
        tabIndex={0}
        aria-label="Lines before and after"
        className="relative m-0 max-h-96 list-none overflow-auto rounded-control border bg-sunken p-0 font-mono text-xs"
      >
        {[...before, own, ...after].map((one) => (
          <li
            key={one.id}
            aria-current={one.id === own.id}
            className={`flex gap-x-2 px-2 max-phone:flex-wrap py-0.5 ${one.id === own.id ? "bg-selected" : ""}`}
          >
            <span className="shrink-0 text-muted tabular-nums">{timeText(one.timestamp)}</span>
            <span className="w-14 shrink-0">
              <LevelMark level={one.level} />
            </span>
            <span className="min-w-0 break-words whitespace-pre-wrap max-phone:w-full">
              {withoutColours(one.message).slice(0, longestShown)}
            </span>
          </li>
        ))}
      </ol>
      <div className="flex items-center gap-2 text-xs text-muted">
        {`${before.length} before, ${after.length} after`}
        {more !== undefined && (
          <Button disabled={context.isFetching} onClick={() => setLines(more)}>
            {`Show ${more} before and after`}
          </Button>
        )}
      </div>
    </div>
  );
}
