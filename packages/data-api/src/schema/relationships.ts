import type { Catalog, CatalogForeignKey, CatalogRelation } from "./catalog.ts";
import type { ViewOrigins } from "./view-origins.ts";

/** Columns that meet: of the one side, of the other. */
export type ColumnPair = readonly [from: string, to: string];

export type Cardinality = "many-to-one" | "one-to-one" | "one-to-many" | "many-to-many";

export interface Relationship {
  cardinality: Cardinality;
  from: string;
  to: string;
  toIsView: boolean;
  isSelf: boolean;
  /** The foreign key is of the table it begins at. */
  holdsKey: boolean;
  /** The foreign key. For many-to-many, that of the near side. */
  constraint: string;
  /** Empty for many-to-many. */
  pairs: ColumnPair[];
  /** The function that returns the related rows of a row. */
  computedBy?: { schema: string; name: string };
  junction?: { table: string; near: ColumnPair[]; far: ColumnPair[]; farConstraint: string };
}

/** A relation that exists outside, and what of its columns does. */
export interface VisibleRelation {
  relation: CatalogRelation;
  isView: boolean;
  visible: ReadonlySet<string>;
  /** Of the visible columns those that may relate it: not the secret ones, which the other rows would tell. */
  relating: ReadonlySet<string>;
  /** Primary key; of a view, the columns that are keys of the tables beneath. */
  key: readonly string[];
}

/** What a relation shows of a table's columns: column number of the table to names in the relation. */
interface Exposure {
  by: VisibleRelation;
  names: Map<number, string[]>;
}

/**
 * All relationships between visible relations. A foreign key also holds for views that show its columns, on either
 * side. Columns that are not visible, or secret, relate nothing.
 */
export function findRelationships(
  catalog: Catalog,
  origins: ViewOrigins,
  visible: readonly VisibleRelation[],
): Relationship[] {
  const exposures = findExposures(origins, visible);
  const uniqueSets = new Set(catalog.keys.map((key) => columnSet(key.relation, key.columns)));
  const relationships: Relationship[] = [];
  for (const foreignKey of catalog.foreignKeys) {
    const isUnique = uniqueSets.has(columnSet(foreignKey.from, foreignKey.fromColumns));
    for (const near of exposures.get(foreignKey.from) ?? []) {
      for (const far of exposures.get(foreignKey.to) ?? []) {
        for (const pairs of pairColumns(foreignKey, near, far)) {
          relationships.push(...bothWays(foreignKey.name, near.by, far.by, pairs, isUnique));
        }
      }
    }
  }
  return [...relationships, ...findManyToMany(relationships, visible)];
}

const columnSet = (relation: number, columns: readonly number[]) =>
  `${relation}:${columns.toSorted((left, right) => left - right).join()}`;

function findExposures(
  origins: ViewOrigins,
  visible: readonly VisibleRelation[],
): Map<number, Exposure[]> {
  const exposures = new Map<number, Exposure[]>();
  const expose = (table: number, by: VisibleRelation, number: number, name: string) => {
    if (!by.relating.has(name)) return;
    const known = exposures.get(table) ?? [];
    exposures.set(table, known);
    let exposure = known.find((other) => other.by === by);
    if (!exposure) {
      exposure = { by, names: new Map() };
      known.push(exposure);
    }
    exposure.names.set(number, [...(exposure.names.get(number) ?? []), name]);
  };
  for (const by of visible) {
    for (const column of by.relation.columns) {
      if (!by.isView) {
        expose(by.relation.oid, by, column.number, column.name);
        continue;
      }
      const origin = origins.get(by.relation.oid)?.get(column.number);
      if (origin) expose(origin.relation, by, origin.column, column.name);
    }
  }
  return exposures;
}

/** Every way to name the columns of a key on both sides: a view may show a column twice. */
function pairColumns(foreignKey: CatalogForeignKey, near: Exposure, far: Exposure): ColumnPair[][] {
  let ways: ColumnPair[][] = [[]];
  for (const [index, number] of foreignKey.fromColumns.entries()) {
    const fromNames = near.names.get(number) ?? [];
    const toNames = far.names.get(foreignKey.toColumns[index] ?? 0) ?? [];
    const choices = fromNames.flatMap((from) => toNames.map((to): ColumnPair => [from, to]));
    ways = ways.flatMap((way) => choices.map((choice) => [...way, choice])).slice(0, 64);
  }
  return ways;
}

function bothWays(
  constraint: string,
  near: VisibleRelation,
  far: VisibleRelation,
  pairs: ColumnPair[],
  isUnique: boolean,
): Relationship[] {
  const isSelf = near === far;
  const forth: Relationship = {
    cardinality: isUnique ? "one-to-one" : "many-to-one",
    from: near.relation.name,
    to: far.relation.name,
    toIsView: far.isView,
    isSelf,
    holdsKey: true,
    constraint,
    pairs,
  };
  const back: Relationship = {
    ...forth,
    holdsKey: false,
    cardinality: isUnique ? "one-to-one" : "one-to-many",
    from: forth.to,
    to: forth.from,
    toIsView: near.isView,
    pairs: pairs.map(([from, to]): ColumnPair => [to, from]),
  };
  return [forth, back];
}

/** Two foreign keys inside the primary key of one table relate what they point at. */
function findManyToMany(
  relationships: readonly Relationship[],
  visible: readonly VisibleRelation[],
): Relationship[] {
  const found: Relationship[] = [];
  const toOne = Map.groupBy(
    relationships.filter(({ cardinality }) => cardinality === "many-to-one"),
    ({ from }) => from,
  );
  for (const { relation, key } of visible) {
    const inKey = ({ pairs }: Relationship) => pairs.every(([column]) => key.includes(column));
    const keys = (toOne.get(relation.name) ?? []).filter(inKey);
    for (const near of keys) {
      for (const far of keys) {
        if (near.constraint === far.constraint) continue;
        found.push({
          cardinality: "many-to-many",
          from: near.to,
          to: far.to,
          toIsView: far.toIsView,
          isSelf: near.to === far.to,
          holdsKey: false,
          constraint: near.constraint,
          pairs: [],
          junction: {
            table: relation.name,
            near: near.pairs,
            far: far.pairs,
            farConstraint: far.constraint,
          },
        });
      }
    }
  }
  return found;
}
