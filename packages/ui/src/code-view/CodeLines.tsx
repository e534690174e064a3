import { Search, WrapText } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { IconButton } from "../Button.tsx";
import { CopyButton } from "../CopyButton.tsx";
import { formatLineRange, type LineRange } from "../lines/line-range.ts";
import { LineLinkButton } from "../lines/LineLinkButton.tsx";
import { LineList, type LineListHandle, mostWrapped } from "../lines/LineList.tsx";
import { LineSearchBox } from "../lines/LineSearchBox.tsx";
import { SpanLine } from "../lines/SpanLine.tsx";
import { useLineSearch } from "../lines/use-line-search.ts";
import { copyText } from "../toasts.ts";
import type { CodeViewProps } from "./CodeView.tsx";
import { codeSpans } from "./code-spans.ts";

const lineHeight = 18;
const mostLinesOpen = 24;

const same = (line: string) => line;
const number = new Intl.NumberFormat();

export function CodeLines({ label, text, language, linkTo, ...props }: CodeViewProps) {
  const list = useRef<LineListHandle>(null);
  const box = useRef<HTMLInputElement>(null);
  const [isWrapped, setIsWrapped] = useState(false);
  const [showsSearch, setShowsSearch] = useState(false);
  const [ownSelection, setOwnSelection] = useState<LineRange | null>(null);
  const selection = props.selection === undefined ? ownSelection : props.selection;
  const lines = useMemo(() => text.replace(/\r?\n$/, "").split(/\r?\n/), [text]);
  const canWrap = lines.length <= mostWrapped;
  const spansOf = codeSpans[language];

  const select = (next: LineRange | null) => {
    setOwnSelection(next);
    props.onSelect?.(next);
  };
  const chosenText = (range: LineRange) => lines.slice(range.from - 1, range.to).join("\n");
  const search = useLineSearch({
    lines,
    plainText: same,
    startLine: () => list.current?.firstSeen() ?? 0,
    onMatch: (line) => list.current?.show(line, "middle"),
  });
  const openSearch = () => {
    setShowsSearch(true);
    // It is there after this render.
    requestAnimationFrame(() => box.current?.focus());
  };
  const closeSearch = () => {
    setShowsSearch(false);
    search.setWords("");
    list.current?.focus();
  };

  return (
    <section
      aria-label={label}
      className="flex min-h-0 min-w-0 flex-col overflow-hidden rounded-card border bg-sunken"
    >
      <div className="flex flex-wrap items-center justify-end gap-x-2 gap-y-1 border-b bg-surface px-2 py-0.5">
        {showsSearch ? (
          <LineSearchBox label={label} search={search} inputRef={box} onLeave={closeSearch} />
        ) : (
          <span className="min-w-0 flex-1 truncate text-xs text-muted tabular-nums">
            {selection
              ? (formatLineRange(selection) ?? "")
              : `${number.format(lines.length)} ${lines.length === 1 ? "line" : "lines"}`}
          </span>
        )}
        <span className="flex items-center gap-0.5">
          <IconButton
            label="Search"
            aria-pressed={showsSearch}
            icon={<Search size={14} strokeWidth={1.75} />}
            onClick={showsSearch ? closeSearch : openSearch}
          />
          <IconButton
            label={
              canWrap
                ? isWrapped
                  ? "Do not wrap lines"
                  : "Wrap lines"
                : `Too long to wrap: more than ${number.format(mostWrapped)} lines`
            }
            aria-pressed={isWrapped && canWrap}
            disabled={!canWrap}
            icon={<WrapText size={14} strokeWidth={1.75} />}
            onClick={() => setIsWrapped(!isWrapped)}
          />
          {linkTo && <LineLinkButton selection={selection} linkTo={linkTo} />}
          <CopyButton
            label={selection ? "Copy chosen lines" : "Copy"}
            text={selection ? chosenText(selection) : text}
          />
        </span>
      </div>
      <LineList
        ref={list}
        label={`${label}, lines`}
        count={lines.length}
        lineHeight={lineHeight}
        selection={selection}
        onSelect={select}
        onCopy={(range) => void copyText(chosenText(range))}
        onSearch={openSearch}
        isWrapped={isWrapped && canWrap}
        leastHeight={Math.min(lines.length, mostLinesOpen) * lineHeight}
        className="leading-[18px]"
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
    </section>
  );
}
