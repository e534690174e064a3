/** What an exchange spends its time on, in the order in which it comes about. */
export const phases = ["dns", "connect", "tls", "firstByte", "transfer"] as const;
export type Phase = (typeof phases)[number];
/** Milliseconds; those of all requests of an exchange together. */
export type Timings = Partial<Record<Phase, number>>;

/** Told what an exchange is at, so that it can be said where the time went, also when it came to no end. */
export interface PhaseClock {
  enter(phase: Phase): void;
  /** Until the next is entered the time is nobody's: a token is fetched, say. */
  leave(): void;
  /** The phase that goes on. */
  current(): Phase | undefined;
  read(): Timings;
}

export function startPhases(): PhaseClock {
  const spent: Timings = {};
  let at: { phase: Phase; since: number } | undefined;
  const leave = () => {
    if (at) spent[at.phase] = (spent[at.phase] ?? 0) + performance.now() - at.since;
    at = undefined;
  };
  return {
    enter(phase) {
      leave();
      at = { phase, since: performance.now() };
    },
    leave,
    current: () => at?.phase,
    read() {
      const now = performance.now();
      const known = phases.flatMap((phase) => {
        const going = at?.phase === phase ? now - at.since : undefined;
        const ms = going === undefined ? spent[phase] : (spent[phase] ?? 0) + going;
        return ms === undefined ? [] : [[phase, Math.round(ms * 100) / 100] as const];
      });
      return Object.fromEntries(known);
    },
  };
}
