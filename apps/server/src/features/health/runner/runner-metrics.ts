import { Counter, Gauge, Histogram, type Registry } from "prom-client";

export interface RunnerMetrics {
  runs: Counter<"type" | "outcome">;
  startLag: Histogram;
  flushSize: Histogram;
  resultsWaiting: Gauge;
  resultsLost: Counter;
  running: Gauge;
  /** Where the age of the oldest waiting result, in milliseconds, is read from. */
  readOldest(read: () => number): void;
}

export function createRunnerMetrics(registry: Registry): RunnerMetrics {
  const registers = [registry];
  let oldestMs = () => 0;
  const oldest: Gauge = new Gauge({
    name: "mainstay_check_results_oldest_seconds",
    help: "How long the oldest result that is not written yet has waited.",
    registers,
    collect() {
      oldest.set(oldestMs() / 1000);
    },
  });
  return {
    runs: new Counter({
      name: "mainstay_check_runs_total",
      help: "Checks that were run, by type and outcome.",
      labelNames: ["type", "outcome"],
      registers,
    }),
    startLag: new Histogram({
      name: "mainstay_check_start_lag_seconds",
      help: "How long after its slot a canary began to run, without its jitter.",
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
      registers,
    }),
    flushSize: new Histogram({
      name: "mainstay_check_results_flush_size",
      help: "Results that were written in one transaction.",
      buckets: [1, 5, 10, 25, 50, 100, 250, 500],
      registers,
    }),
    resultsWaiting: new Gauge({
      name: "mainstay_check_results_waiting",
      help: "Results that wait to be written.",
      registers,
    }),
    resultsLost: new Counter({
      name: "mainstay_check_results_lost_total",
      help: "Results that were not written.",
      registers,
    }),
    running: new Gauge({
      name: "mainstay_canaries_running",
      help: "Canaries that are being run.",
      registers,
    }),
    readOldest(read) {
      oldestMs = read;
    },
  };
}
