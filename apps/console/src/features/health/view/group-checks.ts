import type { CheckSummary } from "@mainstay/contract/health.ts";
import { countedAs, stateOf, type CheckState } from "../check/check-state.ts";
import { labelPrefix, noGrouping } from "./health-view.ts";
import { labelOf } from "./label-filters.ts";
import { bySeverity, noSeverity, severityOf } from "./severity.ts";

/** A check with what is worked out about it once, so that filtering thousands stays quick. */
export interface HealthCheck {
  check: CheckSummary;
  state: CheckState;
  severity: string;
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
    severity: severityOf(check),
    nameKey: nameKey(check.name),
    searchText: `${check.name}\n${check.description ?? ""}\n${check.endpoint ?? ""}`.toLowerCase(),
  }));
}

export const otherGroup = "Others";

/** The group a check belongs to. */
export function groupNameOf(check: CheckSummary, groupBy: string): string {
  if (groupBy.startsWith(labelPrefix))
    return labelOf(check.labels, groupBy.slice(labelPrefix.length)) ?? otherGroup;
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
  /** Unknown, stale and paused: nobody can say. */
  unknown: number;
}

/** What is said about several checks together. */
export interface Aggregate {
  counts: Counts;
  /** Document 1, section 4: a group is good, mixed or bad; ours adds that nobody can say. */
  health: "good" | "mixed" | "bad" | "unknown";
  passed: number;
  failed: number;
  /** The slowest of the checks, by its p95; nothing when none has been measured. */
  slowest: CheckSummary | undefined;
  /** The check whose certificate or domain ends first. */
  endsFirst: CheckSummary | undefined;
  /** The worst of the checks' severities. */
  severity: string;
  lastTransition: string | undefined;
}

export function countStates(checks: readonly HealthCheck[]): Counts {
  const counts: Counts = { healthy: 0, unhealthy: 0, warning: 0, unknown: 0 };
  for (const { state } of checks) counts[countedAs(state)] += 1;
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
  let slowest: CheckSummary | undefined;
  let endsFirst: CheckSummary | undefined;
  let severity = noSeverity;
  let lastTransition: string | undefined;
  let stale = 0;
  for (const { check, state, severity: own } of checks) {
    if (state === "stale") stale += 1;
    passed += check.uptime?.passed ?? 0;
    failed += check.uptime?.failed ?? 0;
    const latency = latencyOf(check);
    if (latency !== undefined && (slowest === undefined || latency > latencyOf(slowest)!))
      slowest = check;
    // ISO texts of one zone sort like the moments they mean.
    const end = check.expires_at;
    if (end !== undefined && (endsFirst === undefined || end < endsFirst.expires_at!))
      endsFirst = check;
    if (own !== severity && bySeverity(own, severity) < 0) severity = own;
    const moment = check.last_transition_time;
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
    slowest,
    endsFirst,
    severity,
    lastTransition,
  };
}

export interface CheckGroup {
  kind: "group";
  id: string;
  name: string;
  /** The members that are shown. */
  checks: readonly HealthCheck[];
  /** All of them. */
  members: readonly HealthCheck[];
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
        members,
        aggregate: aggregate(members),
      });
    }
  }
  return groups;
}
