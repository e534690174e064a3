import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { CatalogRow } from "./catalog-rows.ts";
import { itemQueries, type ItemsAsked, type ListedItem, windowSize } from "./queries.ts";

/** Whoever drags the scroll bar over a hundred thousand rows wants those at which they stop. */
const restMs = 80;
/** Rows beyond those that are drawn. */
const readAhead = 40;

const pendingRows: CatalogRow[] = [];
function pendingUpTo(count: number): readonly CatalogRow[] {
  for (let at = pendingRows.length; at < count; at += 1)
    pendingRows.push({ kind: "pending", id: String(at), level: 1 });
  return pendingRows;
}

/** The same answer is the same rows, so that what is drawn is not drawn again. */
const known = new WeakMap<readonly ListedItem[], readonly CatalogRow[]>();
function rowsOf(items: readonly ListedItem[], offset: number): readonly CatalogRow[] {
  let rows = known.get(items);
  if (!rows) {
    rows = items.map((item, at) => ({ kind: "item", id: String(offset + at), level: 1, item }));
    known.set(items, rows);
  }
  return rows;
}

type Answer = readonly ListedItem[] | undefined;

/** As many rows as are known to be there, and one that is not read yet where there may be more. */
function endOf(answers: readonly Answer[], first: number): { end: number; isLast: boolean } {
  let end = first * windowSize;
  for (const [place, items] of answers.entries()) {
    if (!items) return { end: place === 0 ? end : end + 1, isLast: false };
    end += items.length;
    if (items.length < windowSize) return { end, isLast: true };
  }
  return { end: end + 1, isLast: false };
}

/**
 * A list of which only what is seen is read: a window of rows each time. While it is not known how many there are, another
 * follows behind each that is full.
 */
export function useItemWindows(asked: ItemsAsked, counted: number | undefined) {
  const [drawn, setDrawn] = useState({ start: 0, end: 1 });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(drawn);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onDrawn = useCallback((start: number, end: number) => {
    const isFar = Math.abs(start - latest.current.start) > windowSize;
    latest.current = { start, end };
    // Of steady scrolling each step is followed; of great leaps the last.
    if (isFar) clearTimeout(timer.current);
    else if (timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      setDrawn(latest.current);
    }, restMs);
  }, []);

  const first = Math.floor(Math.max(0, drawn.start - readAhead) / windowSize);
  const lastRow = Math.max(0, Math.min(counted ?? Infinity, drawn.end + readAhead) - 1);
  const last = Math.max(first, Math.floor(lastRow / windowSize));
  const windowAt = (place: number, before?: readonly ListedItem[]) => ({
    ...itemQueries.window(asked, first + place),
    enabled:
      first + place <= last &&
      (place === 0 || counted !== undefined || before?.length === windowSize),
  });
  // What a screen shows lies in two of them, of a very high one in three.
  const one = useQuery(windowAt(0));
  const two = useQuery(windowAt(1, one.data));
  const three = useQuery(windowAt(2, two.data));
  // Of another question, which has fewer: what is drawn of it begins at its first row.
  if (counted === undefined && first > 0 && one.data?.length === 0) setDrawn({ start: 0, end: 1 });
  const [itemsOne, itemsTwo, itemsThree] = [one.data, two.data, three.data];
  const answers = useMemo(() => [itemsOne, itemsTwo, itemsThree], [itemsOne, itemsTwo, itemsThree]);
  const asking = [one, two, three].slice(0, last - first + 1);

  const { end, isLast } = endOf(answers, first);
  const total = counted ?? end;
  const rows = useMemo(() => {
    const all = pendingUpTo(total).slice(0, total);
    for (const [place, items] of answers.entries()) {
      if (!items) continue;
      const offset = (first + place) * windowSize;
      for (const [at, row] of rowsOf(items, offset).entries())
        if (offset + at < total) all[offset + at] = row;
    }
    return all;
  }, [answers, first, total]);
  return {
    rows,
    /** Nothing while there may be more. */
    total: counted ?? (isLast ? end : undefined),
    onDrawn,
    hasRows: answers.some((items) => items !== undefined),
    error: asking.find(({ error }) => error)?.error ?? null,
    isFetching: asking.some(({ isFetching }) => isFetching),
    updatedAt: Math.max(0, ...asking.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    refetch: () => {
      for (const query of asking) void query.refetch();
    },
  };
}
