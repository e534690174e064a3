import { isHealth } from "@mainstay/contract/health-words.ts";
import type { CountsByType, TopologyNode } from "@mainstay/contract/topology-answers.ts";
import type { Tone } from "@mainstay/ui/StatusDot.tsx";
import type { AnyComponent } from "../queries.ts";

/** How a component is; a server that says no health says it by its status. */
export function toneOf({ health, status }: Pick<TopologyNode, "health" | "status">): Tone {
  if (isHealth(health)) return health;
  const word = status.toLowerCase();
  return isHealth(word) ? word : "unknown";
}

const healthWords: Readonly<Record<Tone, string>> = {
  healthy: "Healthy",
  warning: "Warning",
  unhealthy: "Unhealthy",
  unknown: "Unknown",
  info: "Info",
};
export const healthWord = (tone: Tone): string => healthWords[tone];

/** Its own word for how it is, where that says more than its health. */
export function ownStatus(component: Pick<TopologyNode, "health" | "status">): string | undefined {
  const { status } = component;
  return status && status.toLowerCase() !== toneOf(component) ? status : undefined;
}

/** Worst first (document 2, section 4). */
export const tonesInOrder: readonly Tone[] = ["unhealthy", "warning", "healthy", "info", "unknown"];

export type Counts = readonly { tone: Tone; count: number }[];

const inOrder = (found: Partial<Record<Tone, number>>): Counts =>
  tonesInOrder.flatMap((tone) => {
    const count = found[tone] ?? 0;
    return count > 0 ? [{ tone, count }] : [];
  });

/** What hangs below a component, by health; of one that has nothing below it none. */
export const childCounts = ({ summary, children }: AnyComponent): Counts =>
  (children ?? []).length === 0 || !summary ? [] : inOrder(summary);

/** Checks of a component and of all below it. */
export function checkCounts(component: AnyComponent): Counts {
  const own = "checks" in component ? component.checks : undefined;
  const counted: Partial<Record<Tone, number>> = {};
  for (const [status, count] of Object.entries(component.summary?.checks ?? own ?? {})) {
    const tone = toneOf({ status });
    counted[tone] = (counted[tone] ?? 0) + count;
  }
  return inOrder(counted);
}

/** How many insights there are, by severity, worst first. Low ones count as medium (document 2, section 9). */
export function insightCounts(
  component: AnyComponent,
): readonly { severity: string; count: number }[] {
  const own: CountsByType | undefined = "analysis" in component ? component.analysis : undefined;
  const counted = new Map<string, number>();
  for (const bySeverity of Object.values(component.summary?.insights ?? own ?? {}))
    for (const [severity, count] of Object.entries(bySeverity)) {
      const word = severity.toLowerCase() === "low" ? "medium" : severity.toLowerCase();
      counted.set(word, (counted.get(word) ?? 0) + count);
    }
  // What nobody knows comes last.
  const order = ["critical", "blocker", "high", "medium", "warning", "info"];
  const placeOf = (severity: string) => {
    const place = order.indexOf(severity);
    return place < 0 ? order.length : place;
  };
  return [...counted]
    .map(([severity, count]) => ({ severity, count }))
    .toSorted((one, other) => placeOf(one.severity) - placeOf(other.severity));
}

const number = new Intl.NumberFormat();
const total = (counts: readonly { count: number }[]) =>
  counts.reduce((sum, { count }) => sum + count, 0);

/** "4 components: 1 unhealthy, 3 healthy"; nothing of none. */
export function countWords(counts: Counts, noun: string): string {
  const all = total(counts);
  if (all === 0) return "";
  const parts = counts.map(({ tone, count }) => `${number.format(count)} ${tone}`).join(", ");
  return `${number.format(all)} ${noun}${all === 1 ? "" : "s"}: ${parts}`;
}

export function insightWords(component: AnyComponent): string {
  const counts = insightCounts(component);
  const all = total(counts);
  if (all === 0) return "";
  const parts = counts
    .map(({ severity, count }) => `${number.format(count)} ${severity}`)
    .join(", ");
  return `${number.format(all)} insight${all === 1 ? "" : "s"}: ${parts}`;
}

/** Everything that its card says, for who does not see it. */
export function cardWords(component: AnyComponent): string {
  const { name, type, text, status_reason } = component;
  return [
    name,
    [healthWord(toneOf(component)), ownStatus(component)].filter(Boolean).join(", "),
    status_reason,
    type,
    text,
    countWords(childCounts(component), "component"),
    countWords(checkCounts(component), "check"),
    insightWords(component),
  ]
    .filter(Boolean)
    .join(". ");
}
