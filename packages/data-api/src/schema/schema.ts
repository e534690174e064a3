import type { FunctionDeclaration, TableDeclaration } from "../declare.ts";
import {
  type Catalog,
  type CatalogColumn,
  type CatalogFunction,
  type CatalogRelation,
  verbBits,
} from "./catalog.ts";
import { findRelationships, type Relationship, type VisibleRelation } from "./relationships.ts";
import { findViewOrigins, type ViewOrigins } from "./view-origins.ts";

export interface Column {
  name: string;
  type: string;
  isJson: boolean;
  /** A date or a time of day on a date: takes date expressions in `.filter`. */
  isMoment: boolean;
  generated: boolean;
}

/** A declared table or view, with what of it exists outside. */
export interface Table<Context> {
  name: string;
  isView: boolean;
  declaration: TableDeclaration<Context>;
  /** Those that exist outside. */
  columns: ReadonlyMap<string, Column>;
  /** All, for what the program's own hooks set. */
  allColumns: ReadonlyMap<string, Column>;
  writable: ReadonlySet<string>;
  key: readonly string[];
  /** No column is hidden, so what PostgreSQL says about a row may be shown. */
  isOpen: boolean;
  relationships: readonly Relationship[];
}

export interface ApiFunction {
  name: string;
  declaration: FunctionDeclaration;
  overloads: Overload[];
}

export interface Overload {
  args: { name: string; type: string; isJson: boolean; optional: boolean }[];
  volatile: boolean;
  returnsSet: boolean;
  /** Absent for a single value. */
  columns?: ReadonlyMap<string, Column>;
  /** The declared table whose rows come out. */
  table?: string;
}

/** Everything outside of a database, as a value. */
export interface Schema<Context> {
  name: string;
  tables: ReadonlyMap<string, Table<Context>>;
  functions: ReadonlyMap<string, ApiFunction>;
}

/** Cuts the catalog down to what is declared. Throws when a declaration names what the database does not have. */
export function buildSchema<Context>(
  name: string,
  catalog: Catalog,
  declarations: readonly TableDeclaration<Context>[],
  functions: readonly FunctionDeclaration[],
): Schema<Context> {
  const origins = findViewOrigins(catalog);
  const relations = new Map(
    catalog.relations
      .filter((relation) => relation.schema === name)
      .map((relation) => [relation.name, relation]),
  );
  const visible = declarations.map((declaration) =>
    seen(declaration, name, relations, catalog, origins),
  );
  const relationships = Map.groupBy(
    findRelationships(catalog, origins, visible),
    ({ from }) => from,
  );
  const tables = new Map<string, Table<Context>>();
  for (const [index, declaration] of declarations.entries()) {
    const relation = visible[index];
    if (!relation) continue;
    if (tables.has(declaration.name))
      throw new Error(`data API: the table "${declaration.name}" is declared twice.`);
    tables.set(
      declaration.name,
      buildTable(declaration, relation, relationships.get(declaration.name) ?? []),
    );
  }
  return { name, tables, functions: buildFunctions(catalog, functions, tables) };
}

function seen<Context>(
  declaration: TableDeclaration<Context>,
  schema: string,
  relations: ReadonlyMap<string, CatalogRelation>,
  catalog: Catalog,
  origins: ViewOrigins,
): VisibleRelation {
  const relation = relations.get(declaration.name);
  if (!relation) {
    throw new Error(
      `data API: "${declaration.name}" is declared, but the schema "${schema}" has no such table or view.`,
    );
  }
  const names = new Set(relation.columns.map((column) => column.name));
  for (const column of [
    ...(declaration.columns ?? []),
    ...(declaration.hidden ?? []),
    ...(declaration.writable ?? []),
  ]) {
    if (!names.has(column)) {
      throw new Error(
        `data API: "${declaration.name}" declares the column "${column}", which the database does not have.`,
      );
    }
  }
  const visible = new Set(declaration.columns ?? names);
  for (const column of declaration.hidden ?? []) visible.delete(column);
  const isView = relation.kind === "v" || relation.kind === "m";
  return { relation, isView, visible, key: keyOf(relation, isView, catalog, origins) };
}

function keyOf(
  relation: CatalogRelation,
  isView: boolean,
  catalog: Catalog,
  origins: ViewOrigins,
): string[] {
  const primary = catalog.keys.filter((key) => key.primary);
  if (!isView) {
    const numbers = primary.find((key) => key.relation === relation.oid)?.columns ?? [];
    return relation.columns
      .filter((column) => numbers.includes(column.number))
      .map((column) => column.name);
  }
  const columnOrigins = origins.get(relation.oid);
  return relation.columns
    .filter((column) => {
      const origin = columnOrigins?.get(column.number);
      return primary.some(
        (key) => key.relation === origin?.relation && key.columns.includes(origin.column),
      );
    })
    .map((column) => column.name);
}

function buildTable<Context>(
  declaration: TableDeclaration<Context>,
  { relation, isView, visible, key }: VisibleRelation,
  relationships: readonly Relationship[],
): Table<Context> {
  const allColumns = new Map(relation.columns.map((column) => [column.name, toColumn(column)]));
  const columns = new Map([...allColumns].filter(([name]) => visible.has(name)));
  const verbs = declaration.verbs ?? ["insert", "update", "delete"];
  if (
    declaration.write !== undefined &&
    !declaration.writable &&
    verbs.some((verb) => verb !== "delete")
  ) {
    throw new Error(
      `data API: "${declaration.name}" may be written, but its declaration does not say which columns are writable.`,
    );
  }
  for (const verb of declaration.write === undefined ? [] : verbs) {
    if ((relation.updatable & verbBits[verb]) === 0) {
      throw new Error(
        `data API: "${declaration.name}" declares ${verb}, which its view does not allow.`,
      );
    }
  }
  const writable = new Set(declaration.writable ?? []);
  for (const name of writable) {
    if (!columns.has(name))
      throw new Error(`data API: "${declaration.name}.${name}" is writable but hidden.`);
    if (columns.get(name)?.generated) writable.delete(name);
  }
  return {
    name: declaration.name,
    isView,
    declaration,
    columns,
    allColumns,
    writable,
    key,
    isOpen: columns.size === allColumns.size,
    relationships,
  };
}

const toColumn = (column: Pick<CatalogColumn, "name" | "type" | "base" | "generated">): Column => ({
  name: column.name,
  type: column.type,
  isJson: isJson(column.base),
  isMoment: column.base.startsWith("timestamp") || column.base === "date",
  generated: column.generated,
});

const isJson = (base: string) => base === "json" || base === "jsonb";

function buildFunctions<Context>(
  catalog: Catalog,
  declarations: readonly FunctionDeclaration[],
  tables: ReadonlyMap<string, Table<Context>>,
): Map<string, ApiFunction> {
  const relationNames = new Map(catalog.relations.map((relation) => [relation.oid, relation.name]));
  const functions = new Map<string, ApiFunction>();
  for (const declaration of declarations) {
    const overloads = catalog.functions
      .filter((found) => found.name === declaration.name)
      .map((found) => buildOverload(found, relationNames, tables));
    if (overloads.length === 0) {
      throw new Error(
        `data API: the function "${declaration.name}" is declared, but the database has none.`,
      );
    }
    functions.set(declaration.name, { name: declaration.name, declaration, overloads });
  }
  return functions;
}

function buildOverload<Context>(
  found: CatalogFunction,
  relationNames: ReadonlyMap<number, string>,
  tables: ReadonlyMap<string, Table<Context>>,
): Overload {
  const tableName = relationNames.get(found.returnsRelation);
  const table = tableName === undefined ? undefined : tables.get(tableName);
  const out = found.args.filter((arg) => arg.mode === "t" || arg.mode === "o" || arg.mode === "b");
  const outColumns = new Map(out.map((arg) => [arg.name, toColumn({ ...arg, generated: false })]));
  if (found.returnsComposite && !table && outColumns.size === 0) {
    throw new Error(
      `data API: the function "${found.name}" returns rows of ${found.returns}, which is not a declared table.`,
    );
  }
  return {
    args: found.args
      .filter((arg) => arg.mode === "i" || arg.mode === "b")
      .map((arg) => ({
        name: arg.name,
        type: arg.type,
        isJson: isJson(arg.base),
        optional: arg.optional,
      })),
    volatile: found.volatility === "v",
    returnsSet: found.returnsSet,
    columns: found.returnsComposite ? (table?.columns ?? outColumns) : undefined,
    table: table?.name,
  };
}
