import { useCallback, useLayoutEffect, useState, type RefObject } from "react";
import { flushSync } from "react-dom";

/** Which of many equally high lines are drawn, and how much room the others take. */
export interface LineWindow {
  start: number;
  /** Behind the last one. */
  end: number;
  /** Pixels in front of the first and behind the last. */
  before: number;
  after: number;
}

export interface WindowOptions {
  count: number;
  lineHeight: number;
  /** Lines drawn beyond both edges. */
  overscan: number;
  /** What sticks to the top of the scroller and hides lines. */
  headerHeight?: number;
}

/** The lines that a scroller shows. */
export function lineWindow(
  { count, lineHeight, overscan, headerHeight = 0 }: WindowOptions,
  view: { top: number; height: number },
): LineWindow {
  const first = Math.floor(view.top / lineHeight);
  const last = Math.ceil((view.top + view.height - headerHeight) / lineHeight);
  const start = Math.min(Math.max(0, first - overscan), Math.max(0, count - 1));
  const end = Math.min(count, Math.max(last + overscan, start));
  return {
    start,
    end,
    before: start * lineHeight,
    after: Math.max(0, (count - end) * lineHeight),
  };
}

/** Where to scroll so that a line is seen, moving as little as possible. */
export function scrollTopFor(
  index: number,
  { lineHeight, headerHeight = 0 }: Pick<WindowOptions, "lineHeight" | "headerHeight">,
  view: { top: number; height: number },
): number {
  const lineTop = index * lineHeight;
  const lowest = lineTop + lineHeight + headerHeight - view.height;
  if (lineTop < view.top) return lineTop;
  return Math.max(view.top, lowest);
}

/**
 * Draws only what a scroller shows of a long list. Every line has the same height, so nothing needs measuring.
 */
export function useWindow(scroller: RefObject<HTMLElement | null>, options: WindowOptions) {
  const { count, lineHeight, overscan, headerHeight = 0 } = options;
  // Kept in whole lines: scrolling within one line draws nothing.
  const [view, setView] = useState({ top: 0, height: 900 });

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const read = () => {
      const top = Math.floor(element.scrollTop / lineHeight) * lineHeight;
      const height = Math.ceil(element.clientHeight / lineHeight + 1) * lineHeight;
      setView((known) => (known.top === top && known.height === height ? known : { top, height }));
    };
    // In the same frame as the scroll: a frame later, the reader has seen empty lines.
    const onScroll = () => flushSync(read);
    const resizer = new ResizeObserver(read);
    resizer.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    read();
    return () => {
      resizer.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, [scroller, lineHeight]);

  const scrollTo = useCallback(
    (index: number) => {
      const element = scroller.current;
      if (!element) return;
      const seen = { top: element.scrollTop, height: element.clientHeight };
      element.scrollTo({ top: scrollTopFor(index, { lineHeight, headerHeight }, seen) });
    },
    [scroller, lineHeight, headerHeight],
  );

  return { ...lineWindow({ count, lineHeight, overscan, headerHeight }, view), scrollTo };
}
