import type { Value } from "@mainstay/scripting";
import type { Component, Property } from "./component.ts";
import { listOf, propertyOf } from "./read-found.ts";

/* What a property's lookup said, and how it comes to the components. Source: spec formats, section 8. */

type FoundProperties =
  | { kind: "text"; text: string }
  /** For every component. */
  | { kind: "properties"; properties: Property[] }
  /** Each for the component of its name. */
  | { kind: "components"; components: { name: string; properties: Property[] }[] };

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isNamed = (value: unknown): value is Record<string, unknown> & { name: string } =>
  isMapping(value) && typeof value.name === "string" && value.name !== "";

const textOf = (value: unknown): string =>
  typeof value === "string"
    ? value
    : value === undefined || value === null
      ? ""
      : JSON.stringify(value);

/** A text, a list of properties, or a list of components with theirs. */
export async function readFoundProperties(values: readonly Value[]): Promise<FoundProperties> {
  const found = await listOf(values);
  if (found.length > 0 && found.every((one) => isNamed(one) && Array.isArray(one.properties)))
    return {
      kind: "components",
      components: found.map((one) => {
        const { name, properties } = one as { name: string; properties: unknown[] };
        return { name, properties: properties.filter(isNamed).map(propertyOf) };
      }),
    };
  if (found.length > 0 && found.every(isNamed))
    return { kind: "properties", properties: found.map(propertyOf) };
  return { kind: "text", text: found.map(textOf).join("\n") };
}

/** A later one of the name adds to what is known of it. */
export function mergeProperty(component: Component, property: Property): void {
  const known = component.properties.find(({ name }) => name === property.name);
  if (!known) {
    component.properties.push({ ...property });
    return;
  }
  for (const [key, value] of Object.entries(property))
    if (value !== undefined && value !== null && value !== "") known[key] = value;
}

/** Brings what was found to the components; says which names none of them has. */
export function mergeFound(
  components: readonly Component[],
  spec: Property,
  found: FoundProperties,
): string[] {
  if (found.kind === "text")
    for (const component of components) mergeProperty(component, { ...spec, text: found.text });
  if (found.kind === "properties")
    for (const component of components)
      for (const property of found.properties) mergeProperty(component, property);
  if (found.kind !== "components") return [];
  const unknown: string[] = [];
  const byName = Map.groupBy(components, ({ name }) => name);
  for (const { name, properties } of found.components) {
    const named = byName.get(name);
    if (!named) unknown.push(name);
    for (const component of named ?? [])
      for (const property of properties) mergeProperty(component, property);
  }
  return unknown;
}
