import { isMapping, type Mapping, type Result, type Value } from "@mainstay/scripting";
import type { PlacedScript } from "@mainstay/contract";
import { metricTypes, scriptsOfCheck } from "@mainstay/contract";

export type MetricType = (typeof metricTypes)[number];

/** What a check says of one of its metrics. */
export interface MetricSpec {
  name: string;
  type: MetricType;
  value: PlacedScript;
  labels: readonly { name: string; value?: string; script?: PlacedScript }[];
}

/** One value that a run gave to a metric. */
export interface MetricSample {
  name: string;
  type: MetricType;
  value: number;
  labels: Readonly<Record<string, string>>;
}

const MOST_METRICS = 20;
const MOST_LABELS = 20;
const LONGEST_LABEL = 256;
const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]{0,199}$/;
const labelName = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]{0,99}$/;

const textOf = (value: unknown) => (typeof value === "string" ? value.trim() : "");
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** The metrics of a check, as it was written; what cannot be one is left out. */
export function readMetrics(written: unknown): MetricSpec[] {
  const scripts = scriptsOfCheck({ metrics: written });
  const at = (...path: (string | number)[]) =>
    scripts.find((script) => script.path.join() === ["metrics", ...path].join());
  return listOf(written)
    .slice(0, MOST_METRICS)
    .flatMap((metric, index): MetricSpec[] => {
      const { name, type, labels } = metric as Record<string, unknown>;
      const value = at(index, "value");
      if (!value || !metricName.test(textOf(name))) return [];
      return [
        {
          name: textOf(name),
          type: metricTypes.find((one) => one === type) ?? "gauge",
          value,
          labels: listOf(labels)
            .slice(0, MOST_LABELS)
            .flatMap((label, number) => {
              const { name: called, value: literal } = label as Record<string, unknown>;
              if (!labelName.test(textOf(called))) return [];
              const script = at(index, "labels", number, "valueExpr");
              const said = typeof literal === "string" ? { value: literal } : {};
              return [{ name: textOf(called), ...said, ...(script && { script }) }];
            }),
        },
      ];
    });
}

/** The values of a run; a mistake costs the metric and not the result. */
export async function evaluateMetrics(
  specs: readonly MetricSpec[],
  give: (script: PlacedScript) => Promise<Result>,
): Promise<{ samples: MetricSample[]; mistakes: string[] }> {
  const mistakes: string[] = [];
  const samples = await Promise.all(
    specs.map(async ({ name, type, value, labels }): Promise<MetricSample[]> => {
      try {
        const number = numberOf((await give(value)).value);
        if (number === undefined) throw new Error(`${value.name}: cel: gives no number`);
        if (type === "counter" && number < 0)
          throw new Error(`${value.name}: a counter cannot be counted down by ${-number}`);
        const read = await Promise.all(
          labels.map(async ({ name: called, value: literal = "", script }) => [
            called,
            (script ? (await give(script)).text : literal).slice(0, LONGEST_LABEL),
          ]),
        );
        return [
          { name, type, value: number, labels: Object.fromEntries(read) as Mapping as never },
        ];
      } catch (error) {
        mistakes.push(error instanceof Error ? error.message : String(error));
        return [];
      }
    }),
  );
  return { samples: samples.flat(), mistakes };
}

function numberOf(value: Value): number | undefined {
  const number =
    typeof value === "boolean" || typeof value === "bigint"
      ? Number(value)
      : typeof value === "string" && value.trim() !== ""
        ? Number(value)
        : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Metrics that a transform gives with a result: values already. */
export function readSamples(written: Value | undefined): MetricSample[] {
  return listOf(written)
    .slice(0, MOST_METRICS)
    .flatMap((metric): MetricSample[] => {
      if (!isMapping(metric as Value)) return [];
      const { name, type, value, labels } = metric as Record<string, Value>;
      const number = numberOf(value ?? null);
      if (!metricName.test(textOf(name)) || number === undefined) return [];
      const pairs = isMapping(labels ?? null)
        ? Object.entries(labels as Mapping)
        : listOf(labels).map((label): [string, Value] => [
            textOf((label as Mapping).name),
            (label as Mapping).value ?? "",
          ]);
      return [
        {
          name: textOf(name),
          type: metricTypes.find((one) => one === type) ?? "gauge",
          value: number,
          labels: Object.fromEntries(
            pairs
              .filter(([called]) => labelName.test(called))
              .slice(0, MOST_LABELS)
              .map(([called, label]) => [
                called,
                (typeof label === "object" ? JSON.stringify(label) : String(label)).slice(
                  0,
                  LONGEST_LABEL,
                ),
              ]),
          ),
        },
      ];
    });
}
