import type { TrialComponent } from "@mainstay/contract/topology-trial.ts";
import type { Component } from "./component.ts";

/** What is shown of one component. */
const most = { text: 1_000, properties: 50 };

const cut = (text: string) => (text.length > most.text ? `${text.slice(0, most.text - 1)}…` : text);

/** Components as people are shown them, the first so many of the whole tree. */
export function showTree(components: readonly Component[], shown: number): TrialComponent[] {
  let left = shown;
  const show = (component: Component): TrialComponent => {
    const { name, type, icon, text, externalId, status, health, labels, properties, children } =
      component;
    left -= 1;
    const inner: TrialComponent[] = [];
    for (const child of children) if (left > 0) inner.push(show(child));
    return {
      name,
      external_id: externalId,
      ...(type !== undefined && { type }),
      ...(icon !== undefined && { icon }),
      ...(text !== undefined && { text: cut(text) }),
      ...(status !== undefined && { status: cut(status) }),
      ...(health !== undefined && { health }),
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(properties.length > 0 && {
        properties: properties.slice(0, most.properties).map((property) => ({
          name: property.name,
          ...(property.text !== undefined && { text: cut(property.text) }),
          ...(property.value !== undefined && { value: property.value }),
          ...(typeof property.unit === "string" && { unit: property.unit }),
        })),
      }),
      ...(inner.length > 0 && { components: inner }),
    };
  };
  const roots: TrialComponent[] = [];
  for (const root of components) if (left > 0) roots.push(show(root));
  return roots;
}
