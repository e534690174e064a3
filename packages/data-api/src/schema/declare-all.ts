import type { FunctionDeclaration, TableDeclaration, WriteVerb } from "../declare.ts";
import { type Catalog, verbBits } from "./catalog.ts";

/** Stands for every table and function where the database's own roles decide. */
const everything = "everything";

/** Declares all of a schema: each table with what PostgreSQL allows on it, each function. */
export function declareAll<Context>(
  catalog: Catalog,
  schema: string,
): [TableDeclaration<Context>[], FunctionDeclaration[]] {
  const verbs = Object.keys(verbBits) as WriteVerb[];
  const tables = catalog.relations
    .filter(({ schema: of, kind, isPartition }) => of === schema && kind !== "c" && !isPartition)
    .map((relation): TableDeclaration<Context> => {
      const open = verbs.filter((verb) => (relation.updatable & verbBits[verb]) !== 0);
      const writable = relation.columns.map(({ name }) => name);
      return { name: relation.name, read: everything, write: everything, verbs: open, writable };
    });
  const names = new Set(
    catalog.functions.filter((found) => found.schema === schema).map(({ name }) => name),
  );
  return [tables, [...names].map((name) => ({ name, resource: everything }))];
}
