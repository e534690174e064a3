import { observeElementRect, useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useCallback, useLayoutEffect, useRef, type RefObject } from "react";

/** Which of many lines are drawn, and how much room the others take. */
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
  /** Of every line, or of one that nobody has measured yet. */
  lineHeight: number;
  /** Lines drawn beyond both edges. */
  overscan: number;
  /** What sticks to the top of the scroller and hides lines. */
  headerHeight?: number;
  /** Names a line whose height is measured (with `measure`), wherever it comes to stand. Must keep its identity. */
  lineKey?: ((index: number) => string) | undefined;
}

// A scroller that is not laid out yet has a line as well.
const observeRect =
  (lineHeight: number) =>
  (
    virtualizer: Virtualizer<HTMLElement, HTMLElement>,
    tell: (rect: { width: number; height: number }) => void,
  ) =>
    observeElementRect(virtualizer, ({ width, height }) =>
      tell({ width, height: Math.max(height, lineHeight) }),
    );

/** Draws only what a scroller shows of a long list. */
export function useWindow(scroller: RefObject<HTMLElement | null>, options: WindowOptions) {
  const { count, lineHeight, overscan, headerHeight = 0, lineKey } = options;
  // oxlint-disable-next-line react/incompatible-library -- what it returns is read in the render that asked for it
  const virtualizer = useVirtualizer<HTMLElement, HTMLElement>({
    count,
    overscan,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    observeElementRect: observeRect(lineHeight),
    initialRect: { width: 0, height: 900 },
    scrollMargin: headerHeight,
    scrollPaddingStart: headerHeight,
    ...(lineKey && { getItemKey: lineKey }),
  });
  // Heights are remembered: those of another density are not those of this one.
  const measuredAt = useRef(lineHeight);
  useLayoutEffect(() => {
    if (measuredAt.current === lineHeight) return;
    measuredAt.current = lineHeight;
    virtualizer.measure();
  }, [virtualizer, lineHeight]);

  const scrollTo = useCallback(
    (index: number) => virtualizer.scrollToIndex(index, { align: "auto" }),
    [virtualizer],
  );
  const drawn = virtualizer.getVirtualItems();
  const [first, last] = [drawn[0], drawn.at(-1)];
  const lines: LineWindow = {
    start: first?.index ?? 0,
    end: last ? last.index + 1 : 0,
    before: first ? first.start - headerHeight : 0,
    after: last ? virtualizer.getTotalSize() - (last.end - headerHeight) : 0,
  };
  return { ...lines, scrollTo, measure: virtualizer.measureElement };
}
