import type { Finding } from "../documents/findings.ts";
import { deleteStrategies, metricTypes, severities } from "./fields.ts";

/** Words of closed lists: a check with one that nobody knows is stored and runs, but no document brings it in. */

type Written = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];
const isMap = (value: unknown): value is Written =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const judgeWord = (
  holder: Written,
  key: string,
  path: Path,
  { known, what, anyCase = false }: { known: readonly string[]; what: string; anyCase?: boolean },
): Finding[] => {
  const word = holder[key];
  // What is no text the schema has refused.
  if (typeof word !== "string" || known.includes(anyCase ? word.toLowerCase() : word)) return [];
  const said = `"${word.slice(0, 40)}" is no ${what}. Known are ${known.join(", ")}.`;
  return [{ severity: "error", path: [...path, key], message: said }];
};

const judgeSeverity = (holder: Written, path: Path) =>
  judgeWord(holder, "severity", path, { known: severities, what: "severity", anyCase: true });

/** What is not one of the words that can stand there. */
export function findUnknownWords(
  source: Written,
  checks: readonly { path: Path; spec: Written }[],
): Finding[] {
  return [
    ...judgeSeverity(source, ["spec"]),
    ...checks.flatMap(({ path, spec }) => {
      const at = ["spec", ...path];
      const metrics: unknown[] = Array.isArray(spec["metrics"]) ? spec["metrics"] : [];
      return [
        ...judgeSeverity(spec, at),
        ...judgeWord(spec, "transformDeleteStrategy", at, {
          known: deleteStrategies,
          what: "strategy",
        }),
        ...metrics.flatMap((metric, index) =>
          isMap(metric)
            ? judgeWord(metric, "type", [...at, "metrics", index], {
                known: metricTypes,
                what: "type of metric",
              })
            : [],
        ),
      ];
    }),
  ];
}
