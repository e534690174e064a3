import type { Mapping, Value } from "@mainstay/scripting";
import type { Component } from "./component.ts";

/** What scripts and templates see of a component. */
export function selfOf(component: Component): Mapping {
  const { name, type, namespace, text, icon, externalId, status, health, labels } = component;
  return {
    name,
    type: type ?? "",
    namespace: namespace ?? "",
    text: text ?? "",
    icon: icon ?? "",
    external_id: externalId,
    status: status ?? "",
    health: health ?? "",
    owner: component.owner ?? "",
    lifecycle: component.lifecycle ?? "",
    labels: { ...labels },
    properties: propertyValues(component),
  };
}

/** Properties by name: the text, or the number where there is none. */
export const propertyValues = ({ properties }: Pick<Component, "properties">): Mapping =>
  Object.fromEntries(
    properties.map(({ name, text, value }) => [name, text ?? value ?? ""] as [string, Value]),
  );
