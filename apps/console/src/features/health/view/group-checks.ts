import type { CheckSummary } from "@mainstay/contract/health.ts";
import { stateOf, type CheckState } from "../check/check-state.ts";
import { labelPrefix, noGrouping } from "./health-view.ts";

/** A check with what is worked out about it once, so that filtering thousands stays quick. */
export interface HealthCheck {
  check: CheckSummary;
  state: CheckState;
  searchText: string;
  nameKey: string;
}

/** A text whose plain order is that of its name as people count: b9 before b10, whatever the case. */
export const nameKey = (name: string): string =>
  name.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0"));

export function prepareChecks(checks: readonly CheckSummary[], now: number): HealthCheck[] {
  return checks.map((check) => ({
    check,
    state: stateOf(check, now),
    nameKey: nameKey(check.name),
    searchText: `${check.name}\n${check.description ?? ""}\n${check.endpoint ?? ""}`.toLowerCase(),
  }));
}

export const otherGroup = "Others";

/** The group a check belongs to. */
export function groupNameOf(check: CheckSummary, groupBy: string): string {
  if (groupBy.startsWith(labelPrefix))
    return check.labels[groupBy.slice(labelPrefix.length)] ?? otherGroup;
  switch (groupBy) {
    case "canary_name":
      return check.canary_name || otherGroup;
    case "name":
      // Document 1, section 2: grouping by name uses the part before a slash.
      return check.name.split("/")[0] || otherGroup;
    case "description":
      return check.description || otherGroup;
    case "type":
      return check.type || otherGroup;
    default:
      return otherGroup;
  }
}

export interface Counts {
  healthy: number;
  unhealthy: number;
  warning: number;
  /** Unknown and stale: nobody can say. */
  unknown: number;
}

/** What is said about several checks together. */
export interface Aggregate {
  counts: Counts;
  /** Document 1, section 4: a group is good, mixed or bad; ours adds that nobody can say. */
  health: "good" | "mixed" | "bad" | "unknown";
  passed: number;
  failed: number;
  /** Mean of the checks' p95, ms; nothing when none has been measured. */
  latencyMs: number | undefined;
  lastTransition: string | undefined;
}

export function countStates(checks: readonly HealthCheck[]): Counts {
  const counts: Counts = { healthy: 0, unhealthy: 0, warning: 0, unknown: 0 };
  for (const { state } of checks) counts[state === "stale" ? "unknown" : state] += 1;
  return counts;
}

/** The latency by which a check is shown and sorted: its p95, else its mean. */
export function latencyOf(check: CheckSummary): number | undefined {
  const value = check.latency?.p95 ?? check.latency?.rolling1h;
  return value === undefined || value <= 0 ? undefined : value;
}

export function aggregate(checks: readonly HealthCheck[]): Aggregate {
  const counts = countStates(checks);
  let passed = 0;
  let failed = 0;
  let latencySum = 0;
  let latencyCount = 0;
  let lastTransition: string | undefined;
  let stale = 0;
  for (const { check, state } of checks) {
    if (state === "stale") stale += 1;
    passed += check.uptime?.passed ?? 0;
    failed += check.uptime?.failed ?? 0;
    const latency = latencyOf(check);
    if (latency !== undefined) {
      latencySum += latency;
      latencyCount += 1;
    }
    const moment = check.last_transition_time;
    // ISO texts of one zone sort like the moments they mean.
    if (moment !== undefined && (lastTransition === undefined || moment > lastTransition))
      lastTransition = moment;
  }
  const bad = counts.unhealthy;
  const good = counts.healthy;
  const health =
    bad + counts.warning === 0
      ? good > 0
        ? // Something has stopped: that is not good, whatever the others say.
          stale > 0
          ? "mixed"
          : "good"
        : "unknown"
      : bad > 0 && good + counts.warning + counts.unknown === 0
        ? "bad"
        : "mixed";
  return {
    counts,
    health,
    passed,
    failed,
    latencyMs: latencyCount === 0 ? undefined : latencySum / latencyCount,
    lastTransition,
  };
}

export interface CheckGroup {
  kind: "group";
  id: string;
  name: string;
  /** The members that are shown. */
  checks: readonly HealthCheck[];
  /** Of all members, shown or not: hiding what passes must not make a group look worse than it is. */
  aggregate: Aggregate;
}

/** The checks in their groups, in the order in which the groups first occur; groups with nothing to show are left out. */
export function groupChecks(
  checks: readonly HealthCheck[],
  { groupBy, isShown }: { groupBy: string; isShown: (item: HealthCheck) => boolean },
): CheckGroup[] {
  if (groupBy === noGrouping) return [];
  const byName = new Map<string, HealthCheck[]>();
  for (const item of checks) {
    const name = groupNameOf(item.check, groupBy);
    const known = byName.get(name);
    if (known) known.push(item);
    else byName.set(name, [item]);
  }
  const groups: CheckGroup[] = [];
  for (const [name, members] of byName) {
    const shown = members.filter(isShown);
    if (shown.length > 0) {
      groups.push({
        kind: "group",
        id: `group:${name}`,
        name,
        checks: shown,
        aggregate: aggregate(members),
      });
    }
  }
  return groups;
}
