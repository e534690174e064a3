import type { HealthGraph } from "@mainstay/contract/health.ts";

/** The graph of a check that ran once in the last hour and passed, with what the test says about it. */
export function buildGraph(parts: Partial<HealthGraph> = {}): HealthGraph {
  const end = new Date();
  const ago = (minutes: number) => new Date(end.getTime() - minutes * 60_000).toISOString();
  return {
    duration: 1,
    runnerName: "x",
    range: { start: ago(60), end: end.toISOString() },
    window: { before: 30_000, after: 30_000 },
    status: [],
    runs: [{ time: ago(2), status: true, duration: 20 }],
    latency: { p95: 20, p97: 20, p99: 20, rolling1h: 20 },
    uptime: { passed: 1, failed: 0 },
    now: { status: "healthy", passed: true, last_runtime: ago(2) },
    ...parts,
  };
}
