const signs = ["pointermove", "pointerdown", "keydown"] as const;

/**
 * Fetches a part of the console that no page needs to be seen, at the first sign of somebody being there: so it is in
 * place when it is asked for. Whoever asks for it is told when it cannot be had.
 */
export function atFirstSign(load: () => Promise<unknown>): void {
  if (typeof window === "undefined") return;
  const fetchIt = () => {
    for (const sign of signs) removeEventListener(sign, fetchIt);
    load().catch(() => {});
  };
  for (const sign of signs) addEventListener(sign, fetchIt, { passive: true });
}
