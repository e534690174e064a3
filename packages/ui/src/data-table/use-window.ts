import type * as Core from "@tanstack/react-virtual";
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useReducer,
  useRef,
  useState,
  type RefObject,
} from "react";
import { flushSync } from "react-dom";

/** Which of many lines are drawn, and how much room the others take. */
export interface LineWindow {
  start: number;
  /** Behind the last one. */
  end: number;
  /** Pixels in front of the first and behind the last. */
  before: number;
  after: number;
  /** Of all lines and what stands above them, in pixels; nothing where all are drawn. */
  height: number;
}

export interface WindowOptions {
  count: number;
  /** Of every line, or of one that nobody has measured yet. */
  lineHeight: number;
  /** Lines drawn beyond both edges. */
  overscan: number;
  /** What sticks to the top of the scroller and hides lines. */
  headerHeight?: number;
  /** As many lines are drawn whole, where they are heavier than a table's. */
  mostWhole?: number;
  /** More lines follow when the last one is drawn, which is to happen only when it is seen. */
  isGrowing?: boolean;
  /** Names a line whose height is measured (with `measure`), wherever it comes to stand. Must keep its identity. */
  lineKey?: ((index: number) => string) | undefined;
}

/** As many lines as are drawn whole, wherever the scroller is: what draws parts of more is fetched for those only. */
export const drawnWhole = 60;
const isLong = ({ count, isGrowing = false, mostWhole = drawnWhole }: WindowOptions) =>
  isGrowing || count > mostWhole;
/** What a scroller is taken to show until it can be asked. */
const likelyHeight = 900;

/** Of a long list, until that is worked out. */
const firstDrawn = ({ count, lineHeight, overscan }: WindowOptions) =>
  Math.min(count, Math.ceil(likelyHeight / lineHeight) + overscan);

type Lines = Core.Virtualizer<HTMLElement, HTMLElement>;

let core: typeof Core | undefined;

/** Fetches the machinery of long lists. */
export const loadWindow = async () => (core ??= await import("@tanstack/react-virtual"));

/** Of somebody being there who might scroll. */
const signs = ["pointermove", "pointerdown", "keydown", "wheel", "touchstart", "scroll"] as const;

/** So long it is not asked for again where it could not be had and nothing is missing yet. */
const pauseMs = 2_000;

/**
 * That machinery, once it is wanted and here. What a screen shows is drawn without it, so it is fetched at the first sign
 * of somebody who might scroll, or where more is seen than is drawn. Where it cannot be had what is drawn stays, as long
 * as nobody looks beyond.
 */
function useCore(
  isWanted: boolean,
  scroller: RefObject<HTMLElement | null>,
  drawnHeight: number,
): typeof Core | undefined {
  const [here, setHere] = useState(core);
  const [failure, setFailure] = useState<{ reason: unknown }>();
  useEffect(() => {
    if (!isWanted || here) return;
    let isAsked = false;
    let pausedUntil = 0;
    const isMissing = () => {
      const { clientHeight = 0, scrollTop = 0 } = scroller.current ?? {};
      return scrollTop + clientHeight > drawnHeight;
    };
    const load = () => {
      if (isAsked || (performance.now() < pausedUntil && !isMissing())) return;
      isAsked = true;
      loadWindow().then(setHere, (reason: unknown) => {
        isAsked = false;
        pausedUntil = performance.now() + pauseMs;
        if (isMissing()) setFailure({ reason });
      });
    };
    if (isMissing() || (scroller.current?.scrollTop ?? 0) > 0) load();
    for (const sign of signs) addEventListener(sign, load, { capture: true, passive: true });
    return () => {
      for (const sign of signs) removeEventListener(sign, load, true);
    };
  }, [isWanted, here, scroller, drawnHeight]);
  // As any other part of a page that cannot be fetched.
  if (failure) throw failure.reason;
  return isWanted ? here : undefined;
}

/** Draws a line that stands partly or wholly outside into view, beneath what sticks to the top. */
function showLine(
  box: HTMLElement | null,
  index: number,
  { lineHeight, headerHeight = 0 }: WindowOptions,
): void {
  if (!box) return;
  const line = box.querySelector(`[data-index="${index}"]`)?.getBoundingClientRect();
  const seen = box.getBoundingClientRect();
  const top = line ? line.top - seen.top - headerHeight : index * lineHeight - box.scrollTop;
  const bottom = line
    ? line.bottom - seen.top - box.clientHeight
    : top + headerHeight + lineHeight - box.clientHeight;
  if (top < 0) box.scrollTop += top;
  else if (bottom > 0) box.scrollTop += bottom;
}

/** Draws only what a scroller shows of a long list. */
export function useWindow(scroller: RefObject<HTMLElement | null>, options: WindowOptions) {
  const { count, lineHeight, overscan, headerHeight = 0, lineKey } = options;
  const [, redraw] = useReducer(() => ({}), {});
  const loaded = useCore(
    isLong(options),
    scroller,
    headerHeight + firstDrawn(options) * lineHeight,
  );
  const [virtualizer, setVirtualizer] = useState<Lines>();
  const long = loaded && virtualizer;
  if (loaded) {
    const settings: Core.VirtualizerOptions<HTMLElement, HTMLElement> = {
      count,
      overscan,
      getScrollElement: () => scroller.current,
      estimateSize: () => lineHeight,
      // A scroller that is not laid out yet has a line as well.
      observeElementRect: (instance, tell) =>
        loaded.observeElementRect(instance, ({ width, height }) =>
          tell({ width, height: Math.max(height, lineHeight) }),
        ),
      observeElementOffset: loaded.observeElementOffset,
      scrollToFn: loaded.elementScroll,
      onChange: (_, isScrolling) => {
        // The end of the scrolling is told later, when the list may have gone.
        if (!scroller.current) return;
        if (isScrolling) flushSync(redraw);
        else redraw();
      },
      initialRect: { width: 0, height: likelyHeight },
      // A list that grows long is somewhere already.
      initialOffset: () => scroller.current?.scrollTop ?? 0,
      scrollMargin: headerHeight,
      scrollPaddingStart: headerHeight,
      ...(lineKey && { getItemKey: lineKey }),
    };
    if (virtualizer) virtualizer.setOptions(settings);
    else setVirtualizer(new loaded.Virtualizer(settings));
  } else if (virtualizer) setVirtualizer(undefined);
  useLayoutEffect(() => long?._didMount(), [long]);
  useLayoutEffect(() => long?._willUpdate());
  // Heights are remembered: those of another density are not those of this one.
  const measuredAt = useRef(lineHeight);
  useLayoutEffect(() => {
    if (measuredAt.current === lineHeight) return;
    measuredAt.current = lineHeight;
    long?.measure();
  }, [long, lineHeight]);

  const scrollTo = useCallback(
    (index: number) => {
      if (long) long.scrollToIndex(index, { align: "auto" });
      else showLine(scroller.current, index, { count, lineHeight, overscan, headerHeight });
    },
    [long, scroller, count, lineHeight, overscan, headerHeight],
  );
  /** How far below the top of the scroller's content a line begins; after a render. */
  const startOf = useCallback(
    (index: number): number =>
      long?.measurementsCache[index]?.start ?? headerHeight + index * lineHeight,
    [long, headerHeight, lineHeight],
  );
  return { ...linesOf(long, options), scrollTo, startOf, measure: long?.measureElement };
}

function linesOf(long: Lines | undefined, options: WindowOptions): LineWindow {
  const { count, lineHeight, headerHeight = 0 } = options;
  if (!long) {
    const end = isLong(options) ? firstDrawn(options) : count;
    return { start: 0, end, before: 0, after: (count - end) * lineHeight, height: 0 };
  }
  const drawn = long.getVirtualItems();
  const [first, last] = [drawn[0], drawn.at(-1)];
  return {
    start: first?.index ?? 0,
    end: last ? last.index + 1 : 0,
    before: first ? first.start - headerHeight : 0,
    after: last ? long.getTotalSize() - (last.end - headerHeight) : 0,
    height: headerHeight + long.getTotalSize(),
  };
}
