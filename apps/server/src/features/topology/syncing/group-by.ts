import type { ConfigQuery, WrittenSpec } from "@mainstay/contract";
import { withTag } from "../selector-of.ts";

/** A value of the tag by which a topology is grouped. */
export interface Group {
  tag: string;
  value: string;
}

const isMapping = (value: unknown): value is WrittenSpec =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const each = (list: unknown, change: (one: WrittenSpec) => WrittenSpec): unknown =>
  Array.isArray(list) ? list.map((one: unknown) => (isMapping(one) ? change(one) : one)) : list;

/**
 * The spec for one value of the tag: everything that it selects from the catalog, and every component that it adopts, has
 * the value.
 */
export function narrowTo(spec: WrittenSpec, group: Group): WrittenSpec {
  const tagged = (list: unknown) =>
    each(list, (one) => withTag(one as ConfigQuery, "tagSelector", group));
  const labelled = (list: unknown) =>
    each(list, (one) => withTag(one as ConfigQuery, "labelSelector", group));
  const lookup = (found: unknown) =>
    isMapping(found)
      ? {
          ...found,
          ...(found.catalog !== undefined && {
            catalog: each(found.catalog, (check) => ({
              ...check,
              selector: tagged(check.selector),
            })),
          }),
        }
      : found;
  const component = (one: WrittenSpec): WrittenSpec => ({
    ...one,
    ...(one.configs !== undefined && { configs: tagged(one.configs) }),
    ...(one.selectors !== undefined && { selectors: labelled(one.selectors) }),
    ...(one.lookup !== undefined && { lookup: lookup(one.lookup) }),
    ...(one.components !== undefined && { components: each(one.components, component) }),
    ...(one.properties !== undefined && {
      properties: each(one.properties, (property) => ({
        ...property,
        ...(property.lookup !== undefined && { lookup: lookup(property.lookup) }),
      })),
    }),
    ...(isMapping(one.forEach) && { forEach: component(one.forEach) }),
  });
  return component(spec);
}
