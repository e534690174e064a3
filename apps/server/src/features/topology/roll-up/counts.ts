import {
  type ComponentSummary,
  type CountsByType,
  type Health,
  isHealth,
} from "@mainstay/contract";

/** How many there are of each: what `ComponentSummary` leaves out is nothing. */
export type Counts = Required<ComponentSummary>;

export const states = ["healthy", "unhealthy", "warning", "info", "unknown"] as const;
export type State = (typeof states)[number];

export const noCounts = (): Counts => ({
  healthy: 0,
  unhealthy: 0,
  warning: 0,
  info: 0,
  unknown: 0,
  incidents: {},
  insights: {},
  checks: {},
});

/** What hangs on many is counted for each of them, which may be more often than numbers are exact. */
const sum = (a: number, b: number) => Math.min(a + b, Number.MAX_SAFE_INTEGER);

const numberOf = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;

function addCells(into: Record<string, number>, cells: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(cells))
    if (numberOf(value) > 0)
      into[key] = sum(Object.hasOwn(into, key) ? into[key]! : 0, numberOf(value));
}

function addByType(into: CountsByType, types: Readonly<Record<string, unknown>>): void {
  for (const [type, cells] of Object.entries(types)) {
    if (typeof cells !== "object" || cells === null) continue;
    if (!Object.hasOwn(into, type)) into[type] = {};
    addCells(into[type]!, cells as Record<string, unknown>);
  }
}

/** Adds incidents, insights and checks. */
export function addFound(
  into: Counts,
  found: Pick<ComponentSummary, "incidents" | "insights" | "checks">,
): void {
  addByType(into.incidents, found.incidents ?? {});
  addByType(into.insights, found.insights ?? {});
  addCells(into.checks, found.checks ?? {});
}

/** Adds everything, cell by cell. */
export function addAll(into: Counts, counts: ComponentSummary): void {
  for (const state of states) into[state] = sum(into[state], numberOf(counts[state]));
  addFound(into, counts);
}

/** Adds a child: it counts once, as what is worst in it; warnings and what is only said of it are counted as they are. */
export function addChild(into: Counts, child: Counts): void {
  const { healthy, unhealthy, warning, info, unknown } = child;
  const as: State | undefined =
    healthy > 0 && unhealthy > 0
      ? "warning"
      : unhealthy > 0
        ? "unhealthy"
        : healthy > 0
          ? "healthy"
          : unknown > 0 && warning + info === 0
            ? "unknown"
            : undefined;
  if (as) into[as] = sum(into[as], 1);
  into.warning = sum(into.warning, warning);
  into.info = sum(into.info, info);
  addFound(into, child);
}

/** What counts come to. */
export const healthOfCounts = ({ unhealthy, warning, healthy }: ComponentSummary): Health =>
  numberOf(unhealthy) > 0
    ? "unhealthy"
    : numberOf(warning) > 0
      ? "warning"
      : numberOf(healthy) > 0
        ? "healthy"
        : "unknown";

/** Which of the states a status names; sources write any text. */
export function stateOf(status: string | null | undefined): State | undefined {
  const word = status?.trim().toLowerCase();
  if (word === "error") return "unhealthy";
  return isHealth(word) || word === "info" ? word : undefined;
}

/** What is only said of something is no trouble. */
export const healthOf = (state: State): Health => (state === "info" ? "healthy" : state);

/** As it is stored: `unknown` stands only where there is any. */
export const asSummary = ({ unknown, ...counts }: Counts): ComponentSummary =>
  unknown > 0 ? { ...counts, unknown } : counts;
