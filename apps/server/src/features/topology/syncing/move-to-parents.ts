import { Turn } from "#platform/with-turns.ts";
import { type Component, everyComponent, type ParentLookup } from "./component.ts";

/** Levels of components: as many as a document and what it finds can have together. */
const deepest = 50;

const keyOf = ({ name, type, namespace }: ParentLookup) =>
  [name ?? "", type ?? "", namespace ?? ""].join("\0");

/**
 * Moves components to the parents that they name; one that names none that there is stays where it was written, and what
 * is wrong is said.
 */
export async function moveToParents(roots: readonly Component[]): Promise<string[]> {
  // What is moved is met once all the same.
  const all = Array.from(everyComponent(roots));
  const names = new Set<string | undefined>();
  for (const { parentLookup } of all) if (parentLookup) names.add(parentLookup.name);
  if (names.size === 0) return [];
  const turn = new Turn();
  const byKey = new Map<string, Component>();
  const byExternalId = new Map<string, Component>();
  const parents = new Map<Component, Component>();
  for (const component of all) {
    if (turn.isOver) await turn.end();
    const { name, type, namespace } = component;
    // The first of a name is meant; a type and a namespace that are not said may be any.
    if (names.has(name))
      for (const one of [{ name, type, namespace }, { name, type }, { name, namespace }, { name }])
        if (!byKey.has(keyOf(one))) byKey.set(keyOf(one), component);
    if (!byExternalId.has(component.externalId)) byExternalId.set(component.externalId, component);
    for (const child of component.children) parents.set(child, component);
  }
  const notices: string[] = [];
  /** Those that something was moved away from: it still stands in their lists. */
  const left = new Set<Component>();
  for (const component of all) {
    const { parentLookup } = component;
    if (!parentLookup) continue;
    if (turn.isOver) await turn.end();
    const { externalID } = parentLookup;
    const wanted = externalID ? byExternalId.get(externalID) : byKey.get(keyOf(parentLookup));
    const present = parents.get(component);
    if (wanted && wanted === present) continue;
    const why = !wanted
      ? "there is no such component in this topology"
      : (reasonAgainst(wanted, component, parents) ??
        (present ? undefined : "it stands at the top"));
    if (why !== undefined) {
      const asked = externalID ?? parentLookup.name ?? "";
      notices.push(
        `${component.name}: its parent is to be "${asked}", and ${why}: it stays where it was.`,
      );
      continue;
    }
    left.add(present!);
    wanted!.children.push(component);
    parents.set(component, wanted!);
  }
  for (const one of left) one.children = one.children.filter((child) => parents.get(child) === one);
  return notices;
}

type Parents = ReadonlyMap<Component, Component>;

/** Why one cannot lie in another; nothing when it can. */
function reasonAgainst(
  wanted: Component,
  component: Component,
  parents: Parents,
): string | undefined {
  let above = 0;
  for (let at: Component | undefined = wanted; at; at = parents.get(at)) {
    if (at === component) return "that one lies below it";
    above += 1;
  }
  return above + levelsOf(component, parents, deepest - above) > deepest
    ? `it would lie more than ${deepest} levels deep`
    : undefined;
}

/** Levels of one with all that lies in it; those beyond what is asked for are not counted on. */
function levelsOf(component: Component, parents: Parents, most: number): number {
  let levels = 0;
  for (let level = [component]; level.length > 0 && levels <= most; levels += 1)
    level = level.flatMap((one) => one.children.filter((child) => parents.get(child) === one));
  return levels;
}
