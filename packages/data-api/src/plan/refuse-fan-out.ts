import { beyondLimit } from "../errors.ts";
import { costLimits } from "../limits.ts";
import type { ReadPlan } from "./plan.ts";

/** How far a plan branches out. */
export interface FanOut {
  embeds: number;
  /** Embeds inside embeds. */
  depth: number;
  /** Lists inside lists. */
  lists: number;
}

export function fanOutOf(plan: ReadPlan): FanOut {
  const all = { embeds: 0, depth: 0, lists: 0 };
  for (const { read, many } of plan.embeds) {
    const inner = fanOutOf(read);
    all.embeds += 1 + inner.embeds;
    all.depth = Math.max(all.depth, 1 + inner.depth);
    all.lists = Math.max(all.lists, (many ? 1 : 0) + inner.lists);
  }
  return all;
}

/** Refuses selects whose answer grows out of proportion: by embeds inside embeds, or by one value shown again and again. */
export function refuseFanOut(plan: ReadPlan): void {
  const { embedDepth, listDepth, embeds } = costLimits;
  const found = fanOutOf(plan);
  if (found.depth > embedDepth) throw beyondLimit("levels of embedding in select", embedDepth);
  if (found.lists > listDepth) throw beyondLimit("lists inside lists in select", listDepth);
  if (found.embeds > embeds) throw beyondLimit("embeds in select", embeds);
  refuseRepetition(plan, new Map());
}

function refuseRepetition({ table, output, embeds }: ReadPlan, shown: Map<string, number>): void {
  for (const { field } of output) {
    if (!field || !("column" in field)) continue;
    const name = `${table}.${field.column.name}`;
    const times = (shown.get(name) ?? 0) + 1;
    if (times > costLimits.sameColumn)
      throw beyondLimit(`outputs of the column ${name}`, costLimits.sameColumn);
    shown.set(name, times);
  }
  for (const { read } of embeds) refuseRepetition(read, shown);
}
