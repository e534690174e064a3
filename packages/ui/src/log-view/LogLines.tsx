import { ArrowDownToLine, Download } from "lucide-react";
import { useRef, useState } from "react";
import { Button, IconButton } from "../Button.tsx";
import { CopyButton } from "../CopyButton.tsx";
import { downloadText } from "../export/export-rows.ts";
import type { LineRange } from "../lines/line-range.ts";
import { LineLinkButton } from "../lines/LineLinkButton.tsx";
import { LineList, type LineListHandle } from "../lines/LineList.tsx";
import { LineSearchBox } from "../lines/LineSearchBox.tsx";
import { SpanLine } from "../lines/SpanLine.tsx";
import type { Span } from "../lines/spans.ts";
import { useLineSearch } from "../lines/use-line-search.ts";
import { copyText } from "../toasts.ts";
import { ansiSpans, plainLine } from "./ansi.ts";
import type { LogViewProps } from "./LogView.tsx";

/** With this height a million lines are exactly as high as every browser allows. */
const lineHeight = 16;
const longestDrawn = 5_000;
const mostCopied = 100_000;

const number = new Intl.NumberFormat();

function spansOf(line: string): Span[] {
  if (line.length <= longestDrawn) return ansiSpans(line);
  return [
    ...ansiSpans(line.slice(0, longestDrawn)),
    {
      text: ` … ${number.format(line.length - longestDrawn)} more characters`,
      className: "text-muted italic",
    },
  ];
}

/** The text of some lines, or of all, as it would be read. */
function textOf(lines: readonly string[], range: LineRange | null): string {
  const chosen = range ? lines.slice(range.from - 1, range.to) : lines;
  return chosen.map((line) => plainLine(line)).join("\n");
}

export function LogLines(props: LogViewProps) {
  const { label, lines, isLive = false, linkTo, fileName } = props;
  const list = useRef<LineListHandle>(null);
  const box = useRef<HTMLInputElement>(null);
  const [ownSelection, setOwnSelection] = useState<LineRange | null>(null);
  const selection = props.selection === undefined ? ownSelection : props.selection;
  const [follows, setFollows] = useState(isLive && selection === null);
  const isFollowing = isLive && follows;

  const select = (next: LineRange | null) => {
    setOwnSelection(next);
    props.onSelect?.(next);
  };
  const search = useLineSearch({
    lines,
    plainText: plainLine,
    startLine: () => list.current?.firstSeen() ?? 0,
    onMatch: (line) => {
      setFollows(false);
      list.current?.show(line, "middle");
    },
  });

  const copyRange = (range: LineRange) => {
    const most = { from: range.from, to: Math.min(range.to, range.from + mostCopied - 1) };
    const count = most.to - most.from + 1;
    void copyText(
      textOf(lines, most),
      count === 1 ? undefined : `Copied ${number.format(count)} lines to clipboard`,
    );
  };

  return (
    <section
      aria-label={label}
      className="flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden rounded-card border bg-sunken"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b bg-surface px-2 py-1">
        <LineSearchBox
          label={label}
          search={search}
          inputRef={box}
          onLeave={() => list.current?.focus()}
        />
        <span className="text-xs text-muted tabular-nums max-phone:hidden">
          {number.format(lines.length)} {lines.length === 1 ? "line" : "lines"}
        </span>
        <span className="flex items-center gap-0.5">
          {isLive && (
            <Button
              kind="quiet"
              aria-pressed={isFollowing}
              icon={<ArrowDownToLine size={14} strokeWidth={1.75} />}
              onClick={() => setFollows(!isFollowing)}
            >
              {isFollowing ? "Following" : "Follow"}
            </Button>
          )}
          {linkTo && <LineLinkButton selection={selection} linkTo={linkTo} />}
          <CopyButton
            label={selection ? "Copy chosen lines" : "Copy all"}
            text={() => textOf(lines, selection)}
          />
          {fileName !== undefined && (
            <IconButton
              label="Download"
              icon={<Download size={14} strokeWidth={1.75} />}
              onClick={() => downloadText(fileName, "text/plain", `${textOf(lines, null)}\n`)}
            />
          )}
        </span>
      </div>
      {lines.length === 0 ? (
        <p className="m-0 px-3 py-6 text-center text-sm text-muted">
          {isLive ? "Waiting for the first line" : "No output"}
        </p>
      ) : (
        <LineList
          ref={list}
          label={`${label}, lines`}
          count={lines.length}
          lineHeight={lineHeight}
          selection={selection}
          onSelect={select}
          onCopy={copyRange}
          onSearch={() => box.current?.focus()}
          isFollowing={isFollowing}
          onFollow={setFollows}
          isBlank={(index) => (lines[index] ?? "").trim() === ""}
          renderLine={(index) => (
            <SpanLine
              text={lines[index] ?? ""}
              spansOf={spansOf}
              words={search.words}
              matchesCase={search.matchesCase}
              isCurrent={index === search.currentLine}
            />
          )}
        />
      )}
    </section>
  );
}
