import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { LogLine } from "@mainstay/contract/logs/log-answers.ts";
import { followTail, type TailState } from "../shared/follow-tail.ts";
import { type HeldLines, reachesNow, withLive } from "../shared/line-pages.ts";

/** So often lines that came are shown. */
const showMs = 250;
/** So many wait at most while the page is paused, or shows other moments. */
const mostWaiting = 5000;

export interface LiveLines {
  state: TailState | undefined;
  isPaused: boolean;
  /** How many came and are not shown yet. */
  waiting: number;
  /** How many were left out. */
  skipped: number;
  notices: readonly string[];
  pause: (isPaused: boolean) => void;
}

/** Shows lines as they come, before those that the query under `queryKey` holds. */
export function useLiveLines(options: {
  isOn: boolean;
  path: string;
  queryKey: readonly unknown[];
  /** No lines are on their way that would take the place of those that are held. */
  isIdle: boolean;
  /** More came meanwhile than waited: what is shown begins anew. */
  onLost: () => void;
}): LiveLines {
  const { isOn, path, queryKey } = options;
  const client = useQueryClient();
  const [state, setState] = useState<TailState>();
  const [isPaused, setIsPaused] = useState(false);
  const [waiting, setWaiting] = useState(0);
  const [skipped, setSkipped] = useState(0);
  const [notices, setNotices] = useState<readonly string[]>([]);
  /** The newest last. */
  const buffer = useRef<LogLine[]>([]);
  const isOver = useRef(false);

  const show = useEffectEvent(() => {
    if (buffer.current.length === 0) return;
    const held = client.getQueryData<HeldLines>(queryKey);
    if (isPaused || !options.isIdle || !held || !reachesNow(held)) {
      setWaiting(buffer.current.length);
      return;
    }
    const lines = buffer.current.toReversed();
    buffer.current = [];
    setWaiting(0);
    if (isOver.current) {
      isOver.current = false;
      options.onLost();
    } else client.setQueryData<HeldLines>(queryKey, withLive(held, lines));
  });

  useEffect(() => {
    if (!isOn) return;
    const timer = window.setInterval(() => show(), showMs);
    const stop = followTail(path, {
      onState: setState,
      onLines: (lines) => {
        buffer.current.push(...lines);
        if (buffer.current.length <= mostWaiting) return;
        buffer.current.splice(0, buffer.current.length - mostWaiting);
        isOver.current = true;
      },
      onSkipped: (count) => setSkipped((sum) => sum + count),
      onNotices: setNotices,
    });
    return () => {
      stop();
      window.clearInterval(timer);
      buffer.current = [];
      isOver.current = false;
      setState(undefined);
      setIsPaused(false);
      setWaiting(0);
      setSkipped(0);
      setNotices([]);
    };
  }, [isOn, path]);

  return { state, isPaused, waiting, skipped, notices, pause: setIsPaused };
}
