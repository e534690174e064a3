export interface PingReport {
  sent: number;
  received: number;
  /** Absent when nothing came back. */
  averageMs?: number;
}

/** Reads the closing lines of ping (iputils, busybox); undefined when it did not get as far as counting. */
export function parsePing(output: string): PingReport | undefined {
  const counts = /(\d+) packets transmitted, (\d+) (?:packets )?received/.exec(output);
  if (!counts) return undefined;
  const times = /(?:rtt|round-trip) [a-z/]+ = [\d.]+\/([\d.]+)\//.exec(output);
  return {
    sent: Number(counts[1]),
    // Duplicates and late answers must not make more than all.
    received: Math.min(Number(counts[2]), Number(counts[1])),
    ...(times && { averageMs: Number(times[1]) }),
  };
}
