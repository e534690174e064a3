const signs = ["pointermove", "pointerdown", "keydown"] as const;

/**
 * Fetches a part of the console that no page needs to be seen, at the first sign of somebody being there: so it is in
 * place when it is asked for. Whoever asks for it is told when it cannot be had.
 * @returns ends the waiting
 */
export function atFirstSign(load: () => Promise<unknown>): () => void {
  if (typeof window === "undefined") return () => {};
  const stop = () => {
    for (const sign of signs) removeEventListener(sign, fetchIt);
  };
  const fetchIt = () => {
    stop();
    load().catch(() => {});
  };
  for (const sign of signs) addEventListener(sign, fetchIt, { passive: true });
  return stop;
}
