import { ArrowDown, ArrowUp, Columns2, Rows2, UnfoldVertical } from "lucide-react";
import { memo, useMemo, useRef, useState } from "react";
import { Button, IconButton } from "../Button.tsx";
import { classNames } from "../class-names.ts";
import { codeSpans } from "../code-view/code-spans.ts";
import type { CodeLanguage } from "../code-view/highlight.ts";
import { CopyButton } from "../CopyButton.tsx";
import { markExtents } from "../lines/spans.ts";
import { phoneQuery, useMediaQuery } from "../use-media-query.ts";
import { type DiffRow, diffRows, type DiffSide, foldRows, patchRows } from "./diff-rows.ts";
import type { DiffViewProps } from "./DiffView.tsx";

const mostShown = 2_000;
const number = new Intl.NumberFormat();

type Fate = "same" | "added" | "removed";

const grounds: Record<Fate, string> = {
  same: "",
  added: "bg-healthy-bg",
  removed: "bg-unhealthy-bg",
};
const marks: Record<Fate, string> = {
  same: "",
  added: "rounded-bar bg-healthy text-raised!",
  removed: "rounded-bar bg-unhealthy text-raised!",
};
const signs: Record<Fate, string> = { same: " ", added: "+", removed: "−" };

/** A number, a sign and a line: three cells. */
const Side = memo(function Side({
  side,
  fate,
  language,
  isDivided = false,
}: {
  side: DiffSide | null;
  fate: Fate;
  language: CodeLanguage;
  /** Stands at the right of the other side. */
  isDivided?: boolean;
}) {
  const ground = side ? grounds[fate] : "bg-hover";
  const spans = side ? markExtents(codeSpans[language](side.text), side.changed, marks[fate]) : [];
  return (
    <>
      <td
        className={classNames(
          "w-12 pr-2 text-right align-top text-muted tabular-nums select-none",
          ground,
          isDivided && "border-l",
        )}
      >
        {side?.number}
      </td>
      <td className={classNames("align-top break-all whitespace-pre-wrap", ground)}>
        {side && (
          <span className="flex">
            <span aria-hidden="true" className="w-4 shrink-0 font-semibold select-none">
              {signs[fate]}
            </span>
            {fate !== "same" && (
              <span className="sr-only select-none">
                {fate === "added" ? "added:" : "removed:"}
              </span>
            )}
            <code className="min-w-0 flex-1 pr-2 font-mono">
              {spans.map((span, index) => (
                <span key={index} className={span.className}>
                  {span.text}
                </span>
              ))}
            </code>
          </span>
        )}
      </td>
    </>
  );
});

function SplitRow({ row, language }: { row: DiffRow; language: CodeLanguage }) {
  return (
    <tr>
      <Side side={row.before} fate={row.kind === "same" ? "same" : "removed"} language={language} />
      <Side
        side={row.after}
        fate={row.kind === "same" ? "same" : "added"}
        language={language}
        isDivided
      />
    </tr>
  );
}

/** First what went, then what came; one column of numbers each. */
function UnifiedRows({ rows, language }: { rows: readonly DiffRow[]; language: CodeLanguage }) {
  const line = (side: DiffSide, fate: Fate) => (
    <tr key={`${fate}-${side.number}`}>
      <Side side={side} fate={fate} language={language} />
    </tr>
  );
  return [
    ...rows.flatMap((row) =>
      row.before ? [line(row.before, row.kind === "same" ? "same" : "removed")] : [],
    ),
    ...rows.flatMap((row) => (row.after && row.kind !== "same" ? [line(row.after, "added")] : [])),
  ];
}

export function DiffLines(props: DiffViewProps) {
  const { label, language, beforeLabel = "Before", afterLabel = "After" } = props;
  const [before, after] = "patch" in props ? [undefined, props.patch] : [props.before, props.after];
  const isPhone = useMediaQuery(phoneQuery);
  const [wantsSplit, setWantsSplit] = useState(true);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [most, setMost] = useState(mostShown);
  const scroller = useRef<HTMLDivElement>(null);
  const { rows, added, removed, isGivenUp } = useMemo(
    () => (before === undefined ? patchRows(after) : diffRows(before, after)),
    [before, after],
  );
  const parts = useMemo(() => foldRows(rows.slice(0, most), open), [rows, most, open]);
  const isSplit = wantsSplit && !isPhone;
  const columns = isSplit ? 4 : 2;

  const move = (step: 1 | -1) => {
    const box = scroller.current;
    if (!box) return;
    const top = box.getBoundingClientRect().top;
    const heads = [...box.querySelectorAll<HTMLElement>("tbody[data-change]")].map((head) => ({
      head,
      distance: head.getBoundingClientRect().top - top - 8,
    }));
    const target =
      step === 1
        ? heads.find(({ distance }) => distance > 1)
        : heads.findLast(({ distance }) => distance < -1);
    target?.head.scrollIntoView({ block: "start" });
    target?.head.querySelector<HTMLElement>("td")?.scrollIntoView({ block: "nearest" });
  };

  return (
    <section
      aria-label={label}
      className="flex min-h-0 min-w-0 flex-col overflow-hidden rounded-card border bg-sunken"
    >
      <div className="flex flex-wrap items-center gap-2 border-b bg-surface px-2 py-0.5">
        <span className="min-w-0 flex-1 truncate text-xs text-muted tabular-nums">
          {added === 0 && removed === 0
            ? "No differences"
            : `${number.format(added)} added, ${number.format(removed)} removed`}
          {isGivenUp && " · too different to be compared line by line"}
        </span>
        <span className="flex items-center gap-0.5">
          <IconButton
            label="Previous change"
            icon={<ArrowUp size={14} strokeWidth={1.75} />}
            onClick={() => move(-1)}
          />
          <IconButton
            label="Next change"
            icon={<ArrowDown size={14} strokeWidth={1.75} />}
            onClick={() => move(1)}
          />
          {!isPhone && (
            <IconButton
              label={isSplit ? "Show unified" : "Show side by side"}
              icon={
                isSplit ? (
                  <Rows2 size={14} strokeWidth={1.75} />
                ) : (
                  <Columns2 size={14} strokeWidth={1.75} />
                )
              }
              onClick={() => setWantsSplit(!wantsSplit)}
            />
          )}
          <CopyButton
            label={before === undefined ? "Copy diff" : `Copy ${afterLabel.toLowerCase()}`}
            text={after}
          />
        </span>
      </div>
      <div
        ref={scroller}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        tabIndex={0}
        role="group"
        aria-label={`${label}, lines`}
        className="min-h-0 flex-1 overflow-auto focus-visible:-outline-offset-2"
      >
        <table className="w-full table-fixed border-separate border-spacing-0 font-mono text-xs leading-[18px]">
          <colgroup>
            <col className="w-12" />
            <col />
            {isSplit && <col className="w-12" />}
            {isSplit && <col />}
          </colgroup>
          <thead className={isSplit ? "" : "sr-only"}>
            <tr>
              <th
                colSpan={2}
                scope="col"
                className="border-b px-2 py-1 text-left font-sans text-2xs font-medium text-muted"
              >
                {isSplit ? beforeLabel : `${beforeLabel} and ${afterLabel.toLowerCase()}`}
              </th>
              {isSplit && (
                <th
                  colSpan={2}
                  scope="col"
                  className="border-b border-l px-2 py-1 text-left font-sans text-2xs font-medium text-muted"
                >
                  {afterLabel}
                </th>
              )}
            </tr>
          </thead>
          {parts.map((part) =>
            part.kind === "gap" ? (
              <tbody key={`gap-${part.start}`}>
                <tr>
                  <td
                    colSpan={columns}
                    className="border-y bg-surface px-3 py-0.5 font-sans text-xs text-muted"
                  >
                    Unchanged lines
                  </td>
                </tr>
              </tbody>
            ) : part.kind === "folded" ? (
              <tbody key={`fold-${part.start}`}>
                <tr>
                  <td colSpan={columns} className="border-y bg-surface p-0">
                    <button
                      type="button"
                      className="flex w-full items-center gap-2 px-3 py-0.5 font-sans text-xs text-muted hover:bg-hover hover:text-text focus-visible:-outline-offset-2"
                      onClick={() => setOpen(new Set(open).add(part.start))}
                    >
                      <UnfoldVertical aria-hidden="true" size={14} strokeWidth={1.75} />
                      Show {number.format(part.count)} unchanged lines
                    </button>
                  </td>
                </tr>
              </tbody>
            ) : (
              <tbody
                key={part.start}
                {...(part.rows[0]?.kind === "same" ? {} : { "data-change": "" })}
              >
                {isSplit ? (
                  part.rows.map((row, index) => (
                    <SplitRow key={part.start + index} row={row} language={language} />
                  ))
                ) : (
                  <UnifiedRows rows={part.rows} language={language} />
                )}
              </tbody>
            ),
          )}
        </table>
        {rows.length > most && (
          <div className="flex justify-center p-2 font-sans">
            <Button onClick={() => setMost(most + mostShown)}>
              Show {number.format(Math.min(mostShown, rows.length - most))} more of{" "}
              {number.format(rows.length)} rows
            </Button>
          </div>
        )}
      </div>
    </section>
  );
}
