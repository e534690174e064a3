import { performance } from "node:perf_hooks";

export interface Pauses {
  /** The longest time for which nothing else had its turn, in milliseconds. */
  longestMs: number;
  /** The longest that the thread worked in one of them: on a machine that others use as well it waits besides. */
  workedMs: number;
}

/** Watches how long this thread keeps everything else waiting, until it is asked. */
export function watchPauses(): () => Pauses {
  const worked = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const pauses: Pauses = { longestMs: 0, workedMs: 0 };
  let [at, used] = [performance.now(), worked()];
  const look = () => {
    const [now, using] = [performance.now(), worked()];
    pauses.longestMs = Math.max(pauses.longestMs, now - at);
    pauses.workedMs = Math.max(pauses.workedMs, using - used);
    [at, used] = [now, using];
  };
  const timer = setInterval(look, 1);
  return () => {
    look();
    clearInterval(timer);
    return pauses;
  };
}

export const pausesText = ({ longestMs, workedMs }: Pauses): string =>
  `longest pause ${longestMs.toFixed(0)} ms, ${workedMs.toFixed(0)} ms of it or of another at work`;
