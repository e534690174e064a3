import type { Catalog, CatalogFunction } from "./catalog.ts";
import type { Relationship, VisibleRelation } from "./relationships.ts";
import { type Column, toColumn } from "./column.ts";

/**
 * Functions of one argument, a row of a visible relation: those that return rows of another are relationships, those
 * that return a single value are columns.
 */
export function findComputed(
  catalog: Catalog,
  visible: readonly VisibleRelation[],
  isDeclared: (found: CatalogFunction) => boolean,
): { columns: Map<string, Column[]>; relationships: Relationship[] } {
  const byOid = new Map(visible.map((one) => [one.relation.oid, one]));
  const columns = new Map<string, Column[]>();
  const relationships: Relationship[] = [];
  for (const found of catalog.functions) {
    const [arg, ...others] = found.args.filter(({ mode }) => mode === "i");
    const from = byOid.get(arg?.relation ?? 0);
    if (!arg || !from || others.length > 0 || !isDeclared(found)) continue;
    const computedBy = { schema: found.schema, name: found.name };
    const to = byOid.get(found.returnsRelation);
    if (to) {
      const isOne = !found.returnsSet || found.rows === 1;
      relationships.push({
        cardinality: isOne ? "many-to-one" : "one-to-many",
        from: from.relation.name,
        to: to.relation.name,
        toIsView: to.isView,
        isSelf: to === from,
        holdsKey: false,
        constraint: found.name,
        pairs: [],
        computedBy,
      });
    } else if (!found.returnsSet && !found.returnsComposite) {
      const column = toColumn({ name: found.name, type: found.returns, base: found.returnsBase });
      const known = columns.get(from.relation.name) ?? [];
      columns.set(from.relation.name, [...known, { ...column, generated: true, computedBy }]);
    }
  }
  return { columns, relationships };
}

/** A computed relationship stands in the place of found ones to the same table under its name. */
export function overrideRelationships(
  found: readonly Relationship[],
  computed: readonly Relationship[],
): Relationship[] {
  const isReplaced = (other: Relationship) =>
    computed.some(({ from, constraint }) => from === other.from && constraint === other.to);
  return [...found.filter((relationship) => !isReplaced(relationship)), ...computed];
}
