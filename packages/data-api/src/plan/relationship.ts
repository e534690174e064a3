import { ApiError, noRelation } from "../errors.ts";
import { nearest } from "../nearest.ts";
import type { Schema } from "../schema/schema.ts";
import type { Cardinality, ColumnPair, Relationship } from "../schema/relationships.ts";

/** Chooses the relationship that `target` or `target!hint` names. Several answer 300 with the choices. */
export function chooseRelationship(
  from: string,
  target: string,
  hint: string | undefined,
  relationships: readonly Relationship[],
  schema: Pick<Schema<never>, "name" | "tables">,
): Relationship {
  const matching = relationships.filter((relationship) => matches(relationship, target, hint));
  const [first] = matching;
  if (!first) throw noRelation(from, target, hint, schema.name, nearRelation(from, target, schema));
  if (matching.length > 1) throw ambiguous(from, target, matching);
  return first;
}

/** What may have been meant: another table that the first is related to, or another first one. */
function nearRelation(
  from: string,
  target: string,
  { tables }: Pick<Schema<never>, "tables">,
): string | undefined {
  const related = new Set(tables.get(from)?.relationships.map(({ to }) => to));
  if (related.has(target)) return undefined;
  if (related.size > 0) {
    const near = nearest(target, [...related]);
    return near && `Perhaps you meant '${near}' instead of '${target}'.`;
  }
  const sources = [...tables.values()].filter(({ relationships }) => relationships.length > 0);
  const near = nearest(
    from,
    sources.map(({ name }) => name),
  );
  return near && `Perhaps you meant '${near}' instead of '${from}'.`;
}

function matches(relationship: Relationship, target: string, hint: string | undefined): boolean {
  const { cardinality, to } = relationship;
  if (relationship.computedBy) return relationship.constraint === target && hint === undefined;
  if (relationship.isSelf) {
    // One key, two directions: the table's name means the rows that point here, the column the row pointed at.
    if (hint !== undefined)
      return target === to && cardinality === "one-to-many" && farColumn(relationship) === hint;
    return (
      (target === to && cardinality === "one-to-many") ||
      (nearColumn(relationship) === target && cardinality === "many-to-one")
    );
  }
  const isKey = cardinality !== "many-to-many";
  if (hint === undefined) {
    if (target === to) return true;
    if (!isKey || relationship.toIsView) return false;
    return relationship.constraint === target || nearColumn(relationship) === target;
  }
  if (target !== to) return false;
  if (!isKey) return relationship.junction?.table === hint;
  return (
    relationship.constraint === hint ||
    nearColumn(relationship) === hint ||
    farColumn(relationship) === hint
  );
}

const single = (pairs: readonly ColumnPair[]) => (pairs.length === 1 ? pairs[0] : undefined);
const nearColumn = ({ pairs }: Relationship) => single(pairs)?.[0];
const farColumn = ({ pairs }: Relationship) => single(pairs)?.[1];

const isMany: Record<Cardinality, boolean> = {
  "many-to-one": false,
  "one-to-one": false,
  "one-to-many": true,
  "many-to-many": true,
};

export const embedsMany = (relationship: Relationship) => isMany[relationship.cardinality];

function ambiguous(from: string, target: string, choices: readonly Relationship[]): ApiError {
  const hints = choices.map(
    ({ to, constraint, junction }) => `'${to}!${junction ? junction.table : constraint}'`,
  );
  return new ApiError(
    300,
    "PGRST201",
    `Could not embed because more than one relationship was found for '${from}' and '${target}'`,
    {
      details: choices.map((choice) => ({
        cardinality: choice.cardinality,
        embedding: `${choice.from} with ${choice.to}`,
        relationship: describe(choice),
      })),
      hint:
        `Try changing '${target}' to one of the following: ${hints.join(", ")}. ` +
        "Find the desired relationship in the 'details' key.",
    },
  );
}

function describe({ from, to, constraint, pairs, junction }: Relationship): string {
  const list = (columns: string[]) => `(${columns.join(", ")})`;
  if (junction) {
    const columns = (side: ColumnPair[]) => list(side.map(([column]) => column));
    return `${junction.table} using ${constraint}${columns(junction.near)} and ${junction.farConstraint}${columns(junction.far)}`;
  }
  return `${constraint} using ${from}${list(pairs.map(([near]) => near))} and ${to}${list(pairs.map(([, far]) => far))}`;
}
