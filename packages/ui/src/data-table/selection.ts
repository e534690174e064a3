/** Which rows are chosen, by their ids. */
export type Selected = ReadonlySet<string>;

export interface Selection {
  selected: Selected;
  onChange: (selected: Selected) => void;
}

/** One row more or less; with an anchor, all rows between it and this one become what this one becomes. */
export function toggleRow(
  selected: Selected,
  ids: readonly string[],
  id: string,
  anchor: string | null = null,
): Selected {
  const isOn = !selected.has(id);
  const [from, to] = [ids.indexOf(anchor ?? id), ids.indexOf(id)];
  const range = from < 0 || to < 0 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1);
  const next = new Set(selected);
  for (const each of range) {
    if (isOn) next.add(each);
    else next.delete(each);
  }
  return next;
}

/** Whether all, some or none of these are chosen. */
export function selectionState(
  selected: Selected,
  ids: readonly string[],
): "all" | "some" | "none" {
  const count = ids.reduce((sum, id) => sum + (selected.has(id) ? 1 : 0), 0);
  if (count === 0) return "none";
  return count === ids.length ? "all" : "some";
}

/** All of these, or none of them when all were chosen already. */
export function toggleAll(selected: Selected, ids: readonly string[]): Selected {
  const next = new Set(selected);
  const isAll = selectionState(selected, ids) === "all";
  for (const id of ids) {
    if (isAll) next.delete(id);
    else next.add(id);
  }
  return next;
}
