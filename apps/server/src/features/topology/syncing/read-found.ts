import { componentFields, componentProperty, type ComponentSpec } from "@mainstay/contract";
import { valueAsJson, type Value } from "@mainstay/scripting";
import { z } from "zod";
import { Turn } from "#platform/with-turns.ts";
import type { Component, Property } from "./component.ts";

/*
 * What lookups find is read leniently and believed little: it may come from anywhere. Scripts and programs that stand in
 * it are not run (only a document says what runs); selectors, expressions over the component's own counts, and texts are
 * taken.
 */

/** Names under which the family's own components come, and those of documents. */
const otherNames: Readonly<Record<string, string>> = {
  external_id: "externalID",
  externalId: "externalID",
  status_expr: "statusExpr",
  health_expr: "healthExpr",
  config_id: "configID",
  log_selectors: "logs",
  component_checks: "checks",
  componentChecks: "checks",
  parent_lookup: "parentLookup",
};

/** Levels of components in what one lookup found. */
const deepest = 20;
/** Levels of anything in it: what stands deeper could be neither gone through nor stored. */
const deepestValue = 500;

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const property = z.looseObject({
  ...componentProperty.shape,
  name: z.string().max(253).optional(),
});

/** Whether something in it is null; most says nothing so, and need not be copied. */
const hasNull = (value: unknown): boolean => {
  if (typeof value !== "object") return false;
  if (value === null) return true;
  for (const inner of Array.isArray(value) ? (value as unknown[]) : Object.values(value))
    if (hasNull(inner)) return true;
  return false;
};
const withoutNulls = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withoutNulls)
    : isMapping(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([key, inner]) =>
            inner === null ? [] : [[key, withoutNulls(inner)]],
          ),
        )
      : value;

const foundComponent = z.looseObject({
  ...componentFields,
  name: z.string().min(1, "The name is empty.").max(253, "The name is longer than 253 characters."),
  // An item of the catalog has a list of them, of which the first is its own.
  externalID: z
    .union(
      [
        z.string(),
        z.number(),
        z
          .tuple([z.string()])
          .rest(z.string())
          .transform(([first]) => first),
      ],
      "Expected a text.",
    )
    .transform(String)
    .optional(),
  status_reason: z.string().optional(),
  properties: z.array(property).max(1000).optional(),
});

/** What is wrong with one thing that was found. */
export class FoundMistake extends Error {}

/** @throws FoundMistake */
export function refuseTooDeep(value: unknown, depth = 0): void {
  if (typeof value !== "object" || value === null) return;
  if (depth >= deepestValue)
    throw new FoundMistake(`What was found is nested more than ${deepestValue} levels deep.`);
  for (const inner of Array.isArray(value) ? (value as unknown[]) : Object.values(value))
    refuseTooDeep(inner, depth + 1);
}

/** What a lookup said, as plain JSON: a text that is JSON is read as such. @throws FoundMistake */
function plain(value: Value): unknown {
  if (typeof value !== "string") {
    refuseTooDeep(value);
    return JSON.parse(valueAsJson(value));
  }
  const text = value.trim();
  if (!text.startsWith("[") && !text.startsWith("{")) return value;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return value;
  }
}

/** A list within a list of one is that list: `display` writes all that there is as one text. @throws FoundMistake */
export async function listOf(values: readonly Value[]): Promise<unknown[]> {
  const turn = new Turn();
  const found: unknown[] = [];
  for (const value of values) {
    const read = plain(value);
    for (const one of Array.isArray(read) ? (read as unknown[]) : [read]) {
      if (turn.isOver) await turn.end();
      refuseTooDeep(one, 1);
      found.push(one);
    }
  }
  return found;
}

export interface FoundPlace {
  /** Where it was found, as mistakes say it. */
  at: string;
  depth?: number;
  /** That of the whole reading. */
  turn?: Turn;
}

/** A component out of what a lookup found, with those within it. @throws FoundMistake */
export async function readFound(
  found: unknown,
  { at, depth = 1, turn = new Turn() }: FoundPlace,
): Promise<Component> {
  if (turn.isOver) await turn.end();
  if (depth > deepest)
    throw new FoundMistake(`${at}: components stand within one another ${deepest} times at most.`);
  if (!isMapping(found))
    throw new FoundMistake(
      `${at} is no component: expected an object with a name, found ${Array.isArray(found) ? "a list" : JSON.stringify(found)?.slice(0, 80)}.`,
    );
  const renamed = Object.fromEntries(
    Object.entries(found)
      .filter(([, value]) => value !== null && value !== "")
      .map(([key, value]) => [
        otherNames[key] ?? key,
        // Children are read by themselves.
        key === "components" || !hasNull(value) ? value : withoutNulls(value),
      ]),
  );
  // Of what the family's own components carry these are results, and no selectors.
  if (!("componentChecks" in found || "component_checks" in found)) {
    const { checks } = renamed;
    if (Array.isArray(checks) && !checks.every((one) => isMapping(one) && "selector" in one))
      delete renamed.checks;
  }
  const read = foundComponent.safeParse(renamed);
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = [at, ...(issue?.path ?? [])].join(".");
    throw new FoundMistake(`${where}: ${issue?.message ?? "cannot be read"}`);
  }
  const { components: inner, ...fields } = read.data as z.output<typeof foundComponent> & {
    components?: unknown;
  };
  const made = componentOf(fields);
  const component: Component = {
    ...made,
    statusReason: read.data.status_reason,
    // Of checks the selectors alone.
    checks: made.checks.flatMap(({ selector }) => (selector ? [{ selector }] : [])),
    properties: namedProperties(read.data.properties ?? []),
  };
  if (Array.isArray(inner))
    for (const [index, child] of (inner as unknown[]).entries())
      component.children.push(
        await readFound(child, { at: `${at}.components.${index}`, depth: depth + 1, turn }),
      );
  return component;
}

/** A property without what finds its value; one without a name is called by what else it says. */
export function propertyOf(spec: Record<string, unknown>): Property {
  const { lookup: _lookup, configLookup: _config, summary: _summary, ...rest } = spec;
  const names = [rest.name, rest.label, rest.icon, rest.type];
  const name = names.find((one) => typeof one === "string" && one !== "");
  return { ...rest, name: typeof name === "string" ? name : "" };
}

/** A name that none of the properties has. */
export function freeName(name: string, properties: readonly { name: string }[]): string {
  const taken = new Set(properties.map((one) => one.name));
  for (let count = 2, free = name; ; count += 1) {
    if (!taken.has(free)) return free;
    free = `${name} ${count}`;
  }
}

/** Properties of one component; those without a name of their own do not stand in for one another. */
function namedProperties(found: readonly Record<string, unknown>[]): Property[] {
  const properties: Property[] = [];
  for (const one of found) {
    const property = propertyOf(one);
    if (property.name === "")
      throw new FoundMistake("A property has no name, label, icon or type.");
    if (one.name) properties.push(property);
    else properties.push({ ...property, name: freeName(property.name, properties) });
  }
  return properties;
}

/** What a document or a lookup says of a component, without its parts and its properties. */
export const componentOf = (said: Partial<ComponentSpec> & { name: string }): Component => ({
  name: said.name,
  externalId: said.externalID ?? "",
  type: said.type,
  namespace: said.namespace,
  text: said.text,
  description: said.description,
  tooltip: said.tooltip,
  icon: said.icon,
  owner: said.owner,
  lifecycle: said.lifecycle,
  order: said.order ?? 0,
  hidden: said.hidden ?? false,
  labels: { ...said.labels },
  statusExpr: said.statusExpr,
  healthExpr: said.healthExpr,
  status: said.status,
  statusReason: undefined,
  health: said.health?.toLowerCase(),
  summary: said.summary,
  configId: said.configID,
  properties: [],
  logs: [...(said.logs ?? [])] as Component["logs"],
  selectors: [...(said.selectors ?? [])] as Component["selectors"],
  configs: [...(said.configs ?? [])],
  checks: [...(said.checks ?? [])],
  relationships: [...(said.relationships ?? [])],
  parentLookup: said.parentLookup,
  children: [],
});
