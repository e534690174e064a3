import type { Registry } from "prom-client";
import type { MetricSample, MetricType } from "./metrics.ts";

/*
 * Metrics that the results of checks give values to, beside the server's own. Documents name them, so they are few, and
 * what no result has given a value to for a while is not shown any more.
 */

const MOST_FAMILIES = 200;
const MOST_SERIES = 5_000;
/** Values of checks that run seldom stay for three of their intervals. */
const SHORTEST_MS = 10 * 60_000;
const INTERVALS = 3;
const ownNames = /^(mainstay|process|nodejs)_/;
const buckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000,
];

interface Series {
  labels: Readonly<Record<string, string>>;
  value: number;
  /** Of histograms: how many values lie in each bucket, and how many there are. */
  counts: number[];
  count: number;
  endsAt: number;
}

interface Family {
  type: MetricType;
  series: Map<string, Series>;
}

export interface MetricStore {
  /** Takes the values of a run over; answers what was not taken, as sentences. */
  add(samples: readonly MetricSample[], run: { now: number; intervalMs: number }): string[];
}

const stores = new WeakMap<Registry, MetricStore>();

/** One for each program, whoever runs its checks. */
export function checkMetricsOf(registry: Registry): MetricStore {
  const store = stores.get(registry) ?? createMetricStore(registry);
  stores.set(registry, store);
  return store;
}

export function createMetricStore(registry: Registry, clock = () => Date.now()): MetricStore {
  const families = new Map<string, Family>();
  let total = 0;

  const sweep = (now: number) => {
    for (const [name, family] of families) {
      for (const [key, { endsAt }] of family.series) {
        if (endsAt > now) continue;
        family.series.delete(key);
        total -= 1;
      }
      if (family.series.size > 0) continue;
      families.delete(name);
      registry.removeSingleMetric(name);
    }
  };

  const familyOf = ({ name, type }: MetricSample, now: number): Family | string => {
    const known = families.get(name);
    if (known)
      return known.type === type
        ? known
        : `metrics.${name}: another check says that it is a ${known.type}`;
    if (ownNames.test(name) || registry.getSingleMetric(name))
      return `metrics.${name}: the name belongs to the server's own metrics`;
    if (families.size >= MOST_FAMILIES) sweep(now);
    if (families.size >= MOST_FAMILIES)
      return `metrics.${name}: there are ${MOST_FAMILIES} metrics of checks already`;
    const family: Family = { type, series: new Map() };
    families.set(name, family);
    const metric = {
      name,
      help: "Of the results of checks.",
      type,
      get: () => {
        const at = clock();
        const living = [...family.series.values()].filter(({ endsAt }) => endsAt > at);
        return Promise.resolve({
          name,
          help: "Of the results of checks.",
          type,
          aggregator: "sum",
          values: living.flatMap((series) => valuesOf(name, type, series)),
        });
      },
    };
    // A metric to the registry is whatever has these.
    registry.registerMetric(metric as never);
    return family;
  };

  return {
    add(samples, { now, intervalMs }) {
      const refused: string[] = [];
      const endsAt = now + Math.max(SHORTEST_MS, INTERVALS * intervalMs);
      for (const sample of samples) {
        const family = familyOf(sample, now);
        if (typeof family === "string") {
          refused.push(family);
          continue;
        }
        const key = JSON.stringify(
          Object.entries(sample.labels).toSorted(([a], [b]) => (a < b ? -1 : 1)),
        );
        let series = family.series.get(key);
        if (!series) {
          if (total >= MOST_SERIES) sweep(now);
          if (total >= MOST_SERIES) {
            refused.push(
              `metrics.${sample.name}: there are ${MOST_SERIES} values of metrics of checks already`,
            );
            continue;
          }
          // A sweep may have taken the family with it.
          if (!families.has(sample.name)) {
            refused.push(...this.add([sample], { now, intervalMs }));
            continue;
          }
          series = {
            labels: sample.labels,
            value: 0,
            counts: buckets.map(() => 0),
            count: 0,
            endsAt,
          };
          family.series.set(key, series);
          total += 1;
        }
        series.endsAt = endsAt;
        put(series, sample);
      }
      return refused;
    },
  };
}

function put(series: Series, { type, value }: MetricSample): void {
  if (type === "gauge") series.value = value;
  else series.value += value;
  if (type !== "histogram") return;
  series.count += 1;
  for (const [index, bound] of buckets.entries()) if (value <= bound) series.counts[index]! += 1;
}

function valuesOf(name: string, type: MetricType, { labels, value, counts, count }: Series) {
  if (type !== "histogram") return [{ labels, value }];
  const bucket = (le: string, inside: number) => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le },
    value: inside,
  });
  return [
    ...buckets.map((bound, index) => bucket(String(bound), counts[index]!)),
    bucket("+Inf", count),
    { metricName: `${name}_sum`, labels, value },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
