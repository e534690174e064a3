const signs = ["pointermove", "pointerdown", "keydown"] as const;
/** So long after a failure signs are not looked for: a pointer that moves gives many. */
const pauseMs = 10_000;

/**
 * Fetches a part of the console that no page needs to be seen, at the first sign of somebody being there: so it is in
 * place when it is asked for. Where it cannot be had it is tried again at a later sign; whoever asks for it meanwhile is
 * told.
 * @returns ends the waiting
 */
export function atFirstSign(load: () => Promise<unknown>): () => void {
  if (typeof window === "undefined") return () => {};
  const over = new AbortController();
  const look = () => {
    const until = new AbortController();
    const signal = AbortSignal.any([over.signal, until.signal]);
    const fetchIt = () => {
      until.abort();
      load().catch(() => {
        if (!over.signal.aborted) window.setTimeout(look, pauseMs);
      });
    };
    for (const sign of signs) addEventListener(sign, fetchIt, { passive: true, signal });
  };
  look();
  return () => over.abort();
}
