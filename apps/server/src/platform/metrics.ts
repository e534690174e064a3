import { collectDefaultMetrics, Histogram, Registry } from "prom-client";

/** What `/metrics` shows. Features add their own to `registry`. */
export interface Metrics {
  registry: Registry;
  requests: Histogram<"method" | "route" | "status">;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  // The delay of the event loop is looked at so often by a timer of its own, which wakes an idle program each time.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  const requests = new Histogram({
    name: "mainstay_http_request_duration_seconds",
    help: "Time to answer an HTTP request.",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return { registry, requests };
}
