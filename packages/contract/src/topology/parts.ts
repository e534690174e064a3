import type { WrittenSpec } from "../documents/document-format.ts";

/** What a topology holds that is judged, sealed and run by itself, and where it stands in the spec. */

type Path = readonly (string | number)[];

/** A component, or what finds components. */
export interface WrittenComponent {
  path: Path;
  component: WrittenSpec;
  /** 1 for those that stand right in the document. */
  depth: number;
}

/** A canary spec whose checks are run by the topology. */
export interface EmbeddedCanary {
  path: Path;
  spec: WrittenSpec;
  /** What it is for: it finds something, or it is a component's own checks. */
  use: "lookup" | "checks";
}

export const isMapping = (value: unknown): value is WrittenSpec =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Components within one another at most; what lies deeper is judged (`judge.ts`) and not looked at here. */
export const deepestComponent = 20;

const mappingsIn = (value: unknown, path: Path): { path: Path; value: WrittenSpec }[] =>
  (Array.isArray(value) ? value : []).flatMap((one: unknown, index) =>
    isMapping(one) ? [{ path: [...path, index], value: one }] : [],
  );

/** Every component of a spec, as it was written; those that each result of a lookup gets among them. */
export function componentsOf(spec: WrittenSpec): WrittenComponent[] {
  const into = (holder: WrittenSpec, path: Path, depth: number): WrittenComponent[] =>
    depth > deepestComponent + 1
      ? []
      : mappingsIn(holder.components, [...path, "components"]).flatMap(({ path: at, value }) => [
          { path: at, component: value, depth },
          ...into(value, at, depth + 1),
          ...(isMapping(value.forEach) ? into(value.forEach, [...at, "forEach"], depth + 1) : []),
        ]);
  return into(spec, [], 1);
}

/** The properties of what holds some, and of each result of its lookup. */
function propertiesOf(holder: WrittenSpec, path: Path) {
  const own = mappingsIn(holder.properties, [...path, "properties"]);
  return isMapping(holder.forEach)
    ? [...own, ...mappingsIn(holder.forEach.properties, [...path, "forEach", "properties"])]
    : own;
}

/** Every property of a spec. */
export const propertiesIn = (spec: WrittenSpec): { path: Path; value: WrittenSpec }[] => [
  ...propertiesOf(spec, []),
  ...componentsOf(spec).flatMap(({ component, path }) => propertiesOf(component, path)),
];

function checksOfComponent(holder: WrittenSpec, path: Path): EmbeddedCanary[] {
  return mappingsIn(holder.checks, [...path, "checks"]).flatMap(({ value, path: at }) =>
    isMapping(value.inline)
      ? [{ path: [...at, "inline"], spec: value.inline, use: "checks" as const }]
      : [],
  );
}

const lookupIn = (holder: WrittenSpec, path: Path): EmbeddedCanary[] =>
  isMapping(holder.lookup)
    ? [{ path: [...path, "lookup"], spec: holder.lookup, use: "lookup" }]
    : [];

/** Every canary spec within a topology, as it was written. */
export const canariesIn = (spec: WrittenSpec): EmbeddedCanary[] => [
  ...componentsOf(spec).flatMap(({ component, path }) => [
    ...lookupIn(component, path),
    ...checksOfComponent(component, path),
    ...(isMapping(component.forEach)
      ? checksOfComponent(component.forEach, [...path, "forEach"])
      : []),
  ]),
  ...propertiesIn(spec).flatMap(({ value, path }) => lookupIn(value, path)),
];
