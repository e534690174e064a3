import { type LineLevel, lineLevelOf, type LogLine, logLimits } from "@mainstay/contract";
import { printNanos } from "./nanos.ts";

/** Labels of one line, and characters of one. */
const mostLabels = 100;
const longestLabel = 2048;

/** Fields that programs call a level, the most usual first. */
export const levelFields = [
  "level",
  "severity",
  "lvl",
  "log.level",
  "loglevel",
  "detected_level",
  "log_level",
];

/** The level that fields tell. */
export function levelIn(
  fields: Readonly<Record<string, string>>,
  named?: string,
): LineLevel | undefined {
  for (const name of named === undefined ? levelFields : [named]) {
    if (!Object.hasOwn(fields, name)) continue;
    const level = lineLevelOf(fields[name] ?? "");
    if (level) return level;
  }
  return undefined;
}

/** A line as answers hold it: what is too long is cut, and says how long it was. */
export function lineOf({
  id,
  nanos,
  message,
  labels,
  level,
}: {
  id: string;
  nanos: bigint;
  message: string;
  labels: Readonly<Record<string, string>>;
  level?: LineLevel | undefined;
}): LogLine {
  const isLong = message.length > logLimits.message;
  const kept = Object.entries(labels).slice(0, mostLabels);
  return {
    id,
    timestamp: printNanos(nanos),
    message: isLong ? message.slice(0, logLimits.message) : message,
    labels: Object.fromEntries(kept.map(([name, value]) => [name, value.slice(0, longestLabel)])),
    ...(level && { level }),
    ...(isLong && { length: message.length }),
  };
}

/** Deepest fields of JSON that become labels of their own. */
const deepest = 5;

/** Fields of JSON as labels: `log.level` of one in another; lists as JSON. */
export function flatten(
  value: object,
  isLeft: (name: string) => boolean = () => false,
): Record<string, string> {
  const labels: [string, string][] = [];
  const walk = (found: object, prefix: string, depth: number): void => {
    for (const [key, inner] of Object.entries(found)) {
      if (labels.length >= mostLabels) return;
      const name = prefix === "" ? key : `${prefix}.${key}`;
      if (inner === null || inner === undefined || isLeft(name)) continue;
      if (typeof inner === "object" && !Array.isArray(inner) && depth < deepest)
        walk(inner as object, name, depth + 1);
      else
        labels.push([
          name,
          typeof inner === "object" ? JSON.stringify(inner) : String(inner as string | number),
        ]);
    }
  };
  walk(value, "", 0);
  return Object.fromEntries(labels);
}
