import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import type { TimeRange } from "@mainstay/ui/time-range/time-range.ts";
import { healthQueries } from "../queries.ts";

/** The summary, asked for again at the chosen rate. A new question aborts the one before it. */
export function useHealthSummary(range: TimeRange, rateMs: number) {
  const query = useQuery(healthQueries.summary(range, useQueryClient()));
  const { refetch } = query;
  const ask = useEffectEvent(() => {
    // Nobody looks at a hidden page; when it is shown again it asks at once.
    if (document.visibilityState === "visible") void refetch({ cancelRefetch: true });
  });
  useEffect(() => {
    if (rateMs === 0) return;
    const timer = setInterval(ask, rateMs);
    return () => clearInterval(timer);
  }, [rateMs]);

  // A range that cannot be loaded leaves what was shown before in its place, with the failure said above it.
  const [shown, setShown] = useState(query.data);
  if (query.data !== undefined && query.data !== shown) setShown(query.data);
  return { ...query, data: query.data ?? shown };
}
