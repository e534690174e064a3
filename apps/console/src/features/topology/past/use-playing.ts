import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { topologyQueries } from "../queries.ts";

const tickMs = 400;
export const speeds = [1, 2, 4, 8] as const;
export type Speed = (typeof speeds)[number];

export interface Playing {
  isOn: boolean;
  speed: Speed;
  toggle: () => void;
  stop: () => void;
  setSpeed: (speed: Speed) => void;
}

/**
 * Goes on from one moment to the next, so many steps at a time. It waits for what is to be shown: nothing is skipped
 * where the server is slow.
 *
 * @param next the moment that many steps on; nothing at the end
 */
export function usePlaying({
  at,
  start,
  next,
  go,
}: {
  at: number | undefined;
  start: number;
  next: (from: number, steps: number) => number | undefined;
  go: (at: number | "now") => void;
}): Playing {
  const [isOn, setIsOn] = useState(false);
  const [speed, setSpeed] = useState<Speed>(1);
  const client = useQueryClient();
  const { isFetching, isError } = useQuery(topologyQueries.states(at));
  const step = useEffectEvent(() => {
    const to = next(at ?? start, speed);
    if (to === undefined) setIsOn(false);
    go(to ?? "now");
  });
  const prefetch = useEffectEvent(() => {
    const to = next(at ?? start, speed);
    if (to !== undefined) void client.prefetchQuery(topologyQueries.states(to));
  });
  useEffect(() => {
    if (!isOn || isFetching) return undefined;
    prefetch();
    const timer = setTimeout(step, tickMs);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- once for every moment that is shown
  }, [isOn, isFetching, at, speed]);
  return {
    // What cannot be read is not gone on from.
    isOn: isOn && !isError,
    speed,
    setSpeed,
    stop: () => setIsOn(false),
    toggle: () => {
      if (!isOn && at === undefined) go(start);
      setIsOn(!isOn || isError);
    },
  };
}
