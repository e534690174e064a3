import type { KeyboardEvent, MouseEvent, ReactNode, Ref } from "react";
import {
  memo,
  useEffect,
  useEffectEvent,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";
import { classNames } from "../class-names.ts";
import { type LineRange, rangeBetween } from "./line-range.ts";
import { linesAt, type LongScroll, scrollHeight, scrollTopOf } from "./long-scroll.ts";

/** What the owner of a list of lines can ask of it. */
export interface LineListHandle {
  /** Brings a line (from 0) into view. */
  show: (line: number, place: "nearest" | "middle") => void;
  focus: () => void;
  /** The first line (from 0) that is in view. */
  firstSeen: () => number;
}

export interface LineListProps {
  ref?: Ref<LineListHandle>;
  label: string;
  count: number;
  lineHeight: number;
  renderLine: (index: number) => ReactNode;
  isBlank: (index: number) => boolean;
  /** Counted from 1. */
  selection: LineRange | null;
  onSelect: (selection: LineRange | null) => void;
  onCopy: (selection: LineRange) => void;
  onSearch: () => void;
  /** Draws all lines in their full height in place of those in view: only for texts of `mostWrapped` lines. */
  isWrapped?: boolean;
  /** Stays at the last line when lines are added. */
  isFollowing?: boolean;
  /** Scrolling away from the last line ends it. */
  onFollow?: (isFollowing: boolean) => void;
  /** How high it is where nothing around it says; in pixels. */
  leastHeight?: number;
  className?: string;
}

export const mostWrapped = 5_000;
const overscan = 20;

interface LineProps {
  id: string;
  number: number;
  count: number;
  digits: number;
  isSelected: boolean;
  isCursor: boolean;
  isWrapped: boolean;
  lineHeight: number;
  isBlank: boolean;
  children: ReactNode;
}

const Line = memo(function Line(props: LineProps) {
  const { number, isSelected, isWrapped, lineHeight } = props;
  return (
    <div
      id={props.id}
      role="option"
      aria-selected={isSelected}
      aria-posinset={number}
      aria-setsize={props.count}
      data-line={number}
      style={isWrapped ? { minHeight: lineHeight } : { height: lineHeight }}
      className={classNames(
        "group/line flex w-full min-w-full",
        isWrapped && "[contain-intrinsic-size:auto_18px] [content-visibility:auto]",
        isSelected && "bg-selected",
        props.isCursor &&
          "group-focus-visible/lines:outline-2 group-focus-visible/lines:-outline-offset-2 group-focus-visible/lines:outline-focus",
      )}
    >
      <span
        aria-hidden="true"
        data-gutter=""
        className={classNames(
          "sticky left-0 z-1 shrink-0 cursor-pointer pr-3 pl-3 text-right text-muted tabular-nums select-none hover:text-text",
          isSelected ? "bg-selected font-semibold text-text!" : "bg-sunken",
        )}
        style={{ width: `calc(${props.digits}ch + 24px)` }}
      >
        {number}
      </span>
      <code
        className={classNames(
          "min-w-0 flex-1 pr-4 font-mono",
          isWrapped ? "break-all whitespace-pre-wrap" : "whitespace-pre",
        )}
      >
        {props.isBlank && <span className="sr-only select-none">empty line</span>}
        {props.children}
      </code>
    </div>
  );
});

/**
 * Numbered lines of a text, of which only those in view are drawn. One stop for Tab: arrows move, Shift takes lines
 * along, Ctrl+C copies them; a press on a number chooses its line.
 */
export function LineList({ ref, ...props }: LineListProps) {
  const { label, count, lineHeight, selection, onSelect, isWrapped = false } = props;
  const { isFollowing = false } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [cursor, setCursor] = useState(selection?.from ?? 1);
  const anchor = useRef(selection?.from ?? 1);
  const lastTop = useRef(0);

  const scroll: LongScroll = { count, lineHeight, viewHeight: view.height, overscan };
  const drawn = isWrapped
    ? { start: 0, end: Math.min(count, mostWrapped), offset: 0 }
    : linesAt(scroll, view.top);
  const digits = Math.max(2, String(count).length);

  const tellFollow = useEffectEvent((follows: boolean) => {
    if (follows !== isFollowing) props.onFollow?.(follows);
  });

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const read = () =>
      setView((known) =>
        known.top === element.scrollTop && known.height === element.clientHeight
          ? known
          : { top: element.scrollTop, height: element.clientHeight },
      );
    const onScroll = () => {
      const isAtEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - lineHeight;
      if (isAtEnd) tellFollow(true);
      else if (element.scrollTop < lastTop.current) tellFollow(false);
      lastTop.current = element.scrollTop;
      // In the same frame as the scroll: a frame later, the reader has seen empty lines.
      flushSync(read);
    };
    const resizer = new ResizeObserver(read);
    resizer.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    read();
    return () => {
      resizer.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, [lineHeight]);

  // The list stays as wide as its widest line so far: otherwise it would jump sideways while it is scrolled.
  useLayoutEffect(() => {
    const element = content.current;
    if (!element || drawn.end <= drawn.start) return;
    const known = Number.parseFloat(element.style.minWidth) || 0;
    element.style.minWidth = isWrapped ? "" : `${Math.max(element.scrollWidth, known)}px`;
  }, [drawn.start, drawn.end, isWrapped]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (isFollowing && element && count > 0) element.scrollTop = element.scrollHeight;
  }, [isFollowing, count]);

  const show = (line: number, place: "nearest" | "middle") => {
    const element = scroller.current;
    if (!element) return;
    if (isWrapped) {
      element
        .querySelector(`[data-line="${line + 1}"]`)
        ?.scrollIntoView({ block: place === "middle" ? "center" : "nearest" });
      return;
    }
    const now = { ...scroll, viewHeight: element.clientHeight };
    element.scrollTop = scrollTopOf(now, line, element.scrollTop, place);
  };
  useImperativeHandle(ref, () => ({
    show: (line, place) => {
      setCursor(line + 1);
      show(line, place);
    },
    focus: () => scroller.current?.focus({ preventScroll: true }),
    firstSeen: () => Math.floor(view.top / lineHeight),
  }));

  // A chosen line from the address is shown once, when the text is.
  const showFirst = useEffectEvent(() => {
    if (selection) show(Math.min(selection.from, count) - 1, "middle");
  });
  useEffect(() => showFirst(), []);

  const choose = (line: number, extends_: boolean) => {
    if (!extends_) anchor.current = line;
    setCursor(line);
    onSelect(rangeBetween(anchor.current, line));
  };

  const moveTo = (line: number, extends_: boolean) => {
    const to = Math.min(count, Math.max(1, line));
    if (extends_) choose(to, true);
    else {
      anchor.current = to;
      setCursor(to);
    }
    show(to - 1, "nearest");
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const { shiftKey: extends_, key } = event;
    const isCommand = event.metaKey || event.ctrlKey;
    const act = (() => {
      if (isCommand && key === "c") {
        const isText = window.getSelection()?.isCollapsed === false;
        return selection && !isText ? () => props.onCopy(selection) : undefined;
      }
      if ((isCommand && key === "f") || (!isCommand && key === "/")) return props.onSearch;
      if (isCommand && key === "Home") return () => moveTo(1, extends_);
      if (isCommand && key === "End") return () => moveTo(count, extends_);
      if (isCommand || event.altKey) return undefined;
      const page = Math.max(1, Math.floor(view.height / lineHeight) - 1);
      const moves: Record<string, () => void> = {
        ArrowDown: () => moveTo(cursor + 1, extends_),
        j: () => moveTo(cursor + 1, false),
        ArrowUp: () => moveTo(cursor - 1, extends_),
        k: () => moveTo(cursor - 1, false),
        PageDown: () => moveTo(cursor + page, extends_),
        PageUp: () => moveTo(cursor - page, extends_),
        Home: () => moveTo(1, extends_),
        End: () => moveTo(count, extends_),
        Enter: () => choose(cursor, extends_),
        " ": () => choose(cursor, extends_),
      };
      if (key === "Escape" && selection) return () => onSelect(null);
      return moves[key];
    })();
    if (!act) return;
    event.preventDefault();
    // A dialog around it must not take the same key for its own.
    event.stopPropagation();
    act();
  };

  const onClick = (event: MouseEvent) => {
    const gutter = event.target instanceof Element && event.target.closest("[data-gutter]");
    const line = gutter ? Number(gutter.parentElement?.dataset.line) : Number.NaN;
    if (Number.isNaN(line)) return;
    const isOnlyOne = selection?.from === line && selection.to === line;
    if (isOnlyOne && !event.shiftKey) onSelect(null);
    else choose(line, event.shiftKey);
  };

  return (
    <div
      ref={scroller}
      role="listbox"
      aria-label={label}
      aria-multiselectable="true"
      aria-activedescendant={
        cursor > drawn.start && cursor <= drawn.end ? `${id}-${cursor}` : undefined
      }
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={onClick}
      style={{ flexBasis: props.leastHeight }}
      className={classNames(
        "group/lines relative min-h-0 grow overflow-auto font-mono text-xs [overflow-anchor:none] focus-visible:-outline-offset-2",
        props.className,
      )}
    >
      <div
        ref={content}
        role="presentation"
        className={classNames(isWrapped ? "" : "relative w-max min-w-full")}
        style={isWrapped ? undefined : { height: scrollHeight(scroll) }}
      >
        <div
          role="presentation"
          className={isWrapped ? "" : "absolute inset-x-0 top-0"}
          style={isWrapped ? undefined : { transform: `translateY(${drawn.offset}px)` }}
        >
          {Array.from({ length: drawn.end - drawn.start }, (_, offset) => {
            const index = drawn.start + offset;
            const number = index + 1;
            return (
              <Line
                key={number}
                id={`${id}-${number}`}
                number={number}
                count={count}
                digits={digits}
                isSelected={
                  selection !== null && number >= selection.from && number <= selection.to
                }
                isCursor={number === cursor}
                isWrapped={isWrapped}
                lineHeight={lineHeight}
                isBlank={props.isBlank(index)}
              >
                {props.renderLine(index)}
              </Line>
            );
          })}
        </div>
      </div>
    </div>
  );
}
