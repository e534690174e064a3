/**
 * Scrolling through more lines than a browser has pixels for. Up to some height a scroller is as high as its lines;
 * above it, each pixel of scrolling stands for more than one.
 */

/** Firefox lays out nothing beyond 17.8 million pixels. */
export const highestPx = 16_000_000;

export interface LongScroll {
  count: number;
  lineHeight: number;
  /** Of the scroller, in pixels. */
  viewHeight: number;
  overscan: number;
}

export interface LineStretch {
  start: number;
  /** Behind the last one. */
  end: number;
  /** Where the first drawn line lies in the scroller. */
  offset: number;
}

export const scrollHeight = ({ count, lineHeight }: Pick<LongScroll, "count" | "lineHeight">) =>
  Math.min(highestPx, count * lineHeight);

/** Pixels of lines for each pixel of scrolling. */
function ratio(scroll: LongScroll): number {
  const room = scrollHeight(scroll) - scroll.viewHeight;
  return room <= 0 ? 1 : (scroll.count * scroll.lineHeight - scroll.viewHeight) / room;
}

/** Which lines are drawn when the scroller is at a place, and where. */
export function linesAt(scroll: LongScroll, scrollTop: number): LineStretch {
  const { count, lineHeight, viewHeight, overscan } = scroll;
  const top = scrollTop * ratio(scroll);
  const start = Math.min(
    Math.max(0, Math.floor(top / lineHeight) - overscan),
    Math.max(0, count - 1),
  );
  const end = Math.min(
    count,
    Math.max(start, Math.ceil((top + viewHeight) / lineHeight) + overscan),
  );
  return { start, end, offset: scrollTop - (top - start * lineHeight) };
}

/** Where to scroll so that a line is seen: as little as possible, or to the middle. */
export function scrollTopOf(
  scroll: LongScroll,
  line: number,
  scrollTop: number,
  place: "nearest" | "middle",
): number {
  const { lineHeight, viewHeight } = scroll;
  const by = ratio(scroll);
  const top = scrollTop * by;
  const lineTop = line * lineHeight;
  if (place === "middle") {
    const isSeen = lineTop >= top && lineTop + lineHeight <= top + viewHeight;
    return isSeen ? scrollTop : Math.max(0, (lineTop - (viewHeight - lineHeight) / 2) / by);
  }
  if (lineTop < top) return lineTop / by;
  return Math.max(top, lineTop + lineHeight - viewHeight) / by;
}
