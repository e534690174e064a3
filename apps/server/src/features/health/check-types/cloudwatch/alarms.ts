import type { Value } from "@mainstay/scripting";
import type { XmlElement } from "#platform/xml/read-xml.ts";

/** Of what the service describes its alarms with, those that are no texts. */
const numbers = new Set([
  "Threshold",
  "Period",
  "EvaluationPeriods",
  "DatapointsToAlarm",
  "ActionsSuppressorWaitPeriod",
  "ActionsSuppressorExtensionPeriod",
]);
const booleans = new Set(["ActionsEnabled", "ReturnData"]);
const lists = new Set([
  "AlarmActions",
  "OKActions",
  "InsufficientDataActions",
  "Dimensions",
  "Metrics",
  "MetricAlarms",
  "CompositeAlarms",
]);

/** What stands in an answer, in the form in which libraries of Amazon hand it out. */
export function valueOf(element: XmlElement): Value {
  const { name, children, text } = element;
  if (lists.has(name)) return children.map(valueOf);
  if (children.length > 0)
    return Object.fromEntries(children.map((child) => [child.name, valueOf(child)]));
  const plain = text.trim();
  if (numbers.has(name) && plain !== "" && Number.isFinite(Number(plain))) return Number(plain);
  if (booleans.has(name)) return plain === "true";
  return plain;
}
