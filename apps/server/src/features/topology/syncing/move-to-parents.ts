import { type Component, everyComponent, type ParentLookup } from "./component.ts";

const keyOf = ({ name, type, namespace }: ParentLookup) =>
  [name ?? "", type ?? "", namespace ?? ""].join("\0");

/**
 * Moves components to the parents that they name; one that names none that there is stays where it was written, and what
 * is wrong is said.
 */
export function moveToParents(roots: readonly Component[]): string[] {
  const byKey = new Map<string, Component>();
  const byExternalId = new Map<string, Component>();
  const parents = new Map<Component, Component>();
  for (const component of everyComponent(roots)) {
    const { name, type, namespace } = component;
    // The first of a name is meant; a type and a namespace that are not said may be any.
    for (const one of [{ name, type, namespace }, { name, type }, { name, namespace }, { name }])
      if (!byKey.has(keyOf(one))) byKey.set(keyOf(one), component);
    if (!byExternalId.has(component.externalId)) byExternalId.set(component.externalId, component);
    for (const child of component.children) parents.set(child, component);
  }
  const notices: string[] = [];
  // What is moved is met once all the same.
  const all = Array.from(everyComponent(roots));
  for (const component of all) {
    const { parentLookup } = component;
    if (!parentLookup) continue;
    const { externalID } = parentLookup;
    const wanted = externalID ? byExternalId.get(externalID) : byKey.get(keyOf(parentLookup));
    const why = !wanted
      ? "there is no such component in this topology"
      : isWithin(wanted, component, parents)
        ? "that one lies below it"
        : undefined;
    const present = parents.get(component);
    if (why || !wanted || !present) {
      const asked = externalID ?? parentLookup.name ?? "";
      notices.push(
        `${component.name}: its parent is to be "${asked}", and ${why ?? "it stands at the top"}: it stays where it was.`,
      );
      continue;
    }
    if (present === wanted) continue;
    present.children.splice(present.children.indexOf(component), 1);
    wanted.children.push(component);
    parents.set(component, wanted);
  }
  return notices;
}

/** Whether one lies within another, or is it. */
function isWithin(
  component: Component,
  other: Component,
  parents: ReadonlyMap<Component, Component>,
): boolean {
  for (let at: Component | undefined = component; at; at = parents.get(at))
    if (at === other) return true;
  return false;
}
