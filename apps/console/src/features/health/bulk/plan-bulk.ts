import { isKeptInConsole, placeOf } from "@mainstay/contract/sources.ts";
import type { CanaryChange } from "@mainstay/contract/canary-changes.ts";
import type { CheckSummary } from "@mainstay/contract/health.ts";

/** What can be done with many checks at once. */
export type BulkAction = "run" | "pause" | "resume" | "label" | "delete";

/** What of a canary decides whether it can be changed here. */
export interface CanaryFacts {
  id: string;
  source: string | null;
  agent_id: string;
}

/** A canary that an action reaches, with those of its checks that were chosen and those that were not. */
export interface Reach {
  id: string;
  name: string;
  namespace: string;
  chosen: readonly CheckSummary[];
  others: readonly CheckSummary[];
  /** Why it will not be changed. */
  refused: string | undefined;
}

const noAgent = "00000000-0000-0000-0000-000000000000";

/** As the server would say it. */
function refusalOf(facts: CanaryFacts | undefined): string | undefined {
  if (!facts) return "It is not there any more.";
  if (facts.agent_id !== noAgent) return "It belongs to an agent: change it there.";
  return isKeptInConsole(facts.source)
    ? undefined
    : `It is kept in ${placeOf(facts.source)}: change it there.`;
}

/** The canaries of the chosen checks. All but deleting changes a canary as a whole, and reaches the others of its checks. */
export function reachOf(
  chosen: readonly CheckSummary[],
  all: readonly CheckSummary[],
  canaries: ReadonlyMap<string, CanaryFacts>,
): Reach[] {
  const found = new Map<string, Reach & { chosen: CheckSummary[]; others: CheckSummary[] }>();
  const picked = new Set(chosen.map(({ id }) => id));
  for (const { canary_id: id, canary_name: name, canary_namespace: namespace } of chosen)
    if (!found.has(id))
      found.set(id, {
        id,
        name,
        namespace,
        chosen: [],
        others: [],
        refused: refusalOf(canaries.get(id)),
      });
  for (const check of all) {
    const canary = found.get(check.canary_id);
    canary?.[picked.has(check.id) ? "chosen" : "others"].push(check);
  }
  return [...found.values()];
}

export interface LabelEdit {
  name: string;
  /** Nothing takes the label away. */
  value: string | null;
}

export function changeOf(
  { id: canary, chosen, others }: Pick<Reach, "id" | "chosen" | "others">,
  action: Exclude<BulkAction, "run">,
  label: LabelEdit,
): CanaryChange {
  switch (action) {
    case "pause":
    case "resume":
      return { canary, paused: action === "pause" };
    case "label":
      return { canary, labels: { [label.name.trim()]: label.value } };
    case "delete":
      return others.length === 0
        ? { canary, deleted: true }
        : { canary, removed: chosen.map(({ id }) => id) };
  }
}

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${new Intl.NumberFormat().format(count)} ${count === 1 ? one : many}`;

export const canariesWords = (count: number) => counted(count, "canary", "canaries");
