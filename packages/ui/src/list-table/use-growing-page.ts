import { useState } from "react";

/** Document 1, section 2: without pages, twice as many rows are asked for each time the last one is reached. */
export function nextPageSize(pageSize: number, loaded: number, total: number): number {
  return loaded < pageSize || loaded >= total ? pageSize : pageSize * 2;
}

/** How many rows to ask for, and what to call when the last of them is reached. */
export function useGrowingPage(firstSize = 50) {
  const [pageSize, setPageSize] = useState(firstSize);
  return {
    pageSize,
    /** `total` is left out where the server did not count: the end is then where fewer rows come than were asked for. */
    onEndReached: (loaded: number, total = Number.POSITIVE_INFINITY) =>
      setPageSize((size) => nextPageSize(size, loaded, total)),
    reset: () => setPageSize(firstSize),
  };
}
