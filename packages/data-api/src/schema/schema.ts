import type { FunctionDeclaration, TableDeclaration } from "../declare.ts";
import { type Catalog, type CatalogFunction, type CatalogRelation, verbBits } from "./catalog.ts";
import { type Column, type FunctionName, isJson, toColumn } from "./column.ts";
import { findComputed, overrideRelationships } from "./computed.ts";
export type { Column, FunctionName } from "./column.ts";
import { findRelationships, type Relationship, type VisibleRelation } from "./relationships.ts";
import { findViewOrigins, type ViewOrigins } from "./view-origins.ts";

/** A declared table or view, with what of it exists outside. */
export interface Table<Context> {
  name: string;
  isView: boolean;
  declaration: TableDeclaration<Context>;
  comment: string | null;
  /** Those that exist outside, computed ones last. */
  columns: ReadonlyMap<string, Column>;
  /** All, for what the program's own hooks set. */
  allColumns: ReadonlyMap<string, Column>;
  writable: ReadonlySet<string>;
  key: readonly string[];
  /** No column and no row is hidden, so what PostgreSQL says about rows may be shown. */
  isOpen: boolean;
  relationships: readonly Relationship[];
}

export interface ApiFunction {
  name: string;
  declaration: FunctionDeclaration;
  overloads: Overload[];
}

export interface Argument {
  /** Empty when it has none. */
  name: string;
  type: string;
  base: string;
  isJson: boolean;
  optional: boolean;
  variadic: boolean;
}

export interface Overload {
  args: Argument[];
  volatile: boolean;
  returnsSet: boolean;
  returnsVoid: boolean;
  /** The type of a single value, beneath a domain. */
  returns: string;
  /** Its result is the whole answer, of this media type. */
  mediaType: string | null;
  /** Absent for a single value. */
  columns?: ReadonlyMap<string, Column>;
  /** The declared table whose rows come out. */
  table?: string;
  /** What PostgreSQL calls the rows that come out: a table, also one that is not declared, or a composite type. */
  rowsOf?: string;
  comment: string | null;
  /** Settings that hold while it runs, by name. */
  settings: ReadonlyMap<string, string>;
}

/** Everything outside of a database, as a value. */
export interface Schema<Context> {
  name: string;
  comment: string | null;
  tables: ReadonlyMap<string, Table<Context>>;
  functions: ReadonlyMap<string, ApiFunction>;
  mediaMakers: readonly MediaMaker[];
}

/** An aggregate that makes a media type of rows. */
export interface MediaMaker extends FunctionName {
  mediaType: string;
  isBinary: boolean;
  /** What PostgreSQL calls the rows that it takes; absent where it takes any. */
  rowsOf?: string;
}

/**
 * Cuts the catalog down to what is declared. Throws when a declaration names what the database does not have, or a
 * function returns rows that are not declared; with `showsAll` rows of a table's partition pass, and what makes media
 * types is there too.
 */
export function buildSchema<Context>(
  name: string,
  catalog: Catalog,
  declarations: readonly TableDeclaration<Context>[],
  functions: readonly FunctionDeclaration[],
  showsAll = false,
): Schema<Context> {
  const origins = findViewOrigins(catalog);
  const relations = new Map(
    catalog.relations
      .filter((relation) => relation.schema === name && !relation.isPartition)
      .map((relation) => [relation.name, relation]),
  );
  const visible = declarations.map((declaration) =>
    seen(declaration, name, relations, catalog, origins),
  );
  const declaredFunctions = new Set(functions.map((declaration) => declaration.name));
  const computed = findComputed(catalog, visible, (found) =>
    found.schema === name ? declaredFunctions.has(found.name) : true,
  );
  const relationships = Map.groupBy(
    overrideRelationships(findRelationships(catalog, origins, visible), computed.relationships),
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
      buildTable(
        declaration,
        relation,
        relationships.get(declaration.name) ?? [],
        computed.columns.get(declaration.name) ?? [],
      ),
    );
  }
  return {
    name,
    comment: catalog.comments[name] ?? null,
    tables,
    functions: buildFunctions(name, catalog, functions, tables, showsAll),
    // They are given whole rows, so they are for whom the database's own roles guard.
    mediaMakers: showsAll ? findMediaMakers(name, catalog) : [],
  };
}

function findMediaMakers(schema: string, { mediaMakers, relations }: Catalog): MediaMaker[] {
  const names = new Map(
    relations.flatMap((one) => (one.schema === schema ? [[one.oid, one.name] as const] : [])),
  );
  return mediaMakers
    .filter(({ relation }) => relation === 0 || names.has(relation))
    .map(({ relation, ...maker }) => ({ ...maker, rowsOf: names.get(relation) }));
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
    ...(declaration.secret ?? []),
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
  const relating = new Set([...visible].filter((column) => !declaration.secret?.includes(column)));
  return { relation, isView, visible, relating, key: keyOf(relation, isView, catalog, origins) };
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
  const shown = [...(columnOrigins?.values() ?? [])];
  // A key of which a part is missing tells no rows apart.
  const whole = primary.filter((key) =>
    key.columns.every((number) =>
      shown.some((origin) => origin.relation === key.relation && origin.column === number),
    ),
  );
  return relation.columns
    .filter((column) => {
      const origin = columnOrigins?.get(column.number);
      return whole.some(
        (key) => key.relation === origin?.relation && key.columns.includes(origin.column),
      );
    })
    .map((column) => column.name);
}

function buildTable<Context>(
  declaration: TableDeclaration<Context>,
  { relation, isView, visible, key }: VisibleRelation,
  relationships: readonly Relationship[],
  computed: readonly Column[],
): Table<Context> {
  const secret = new Set(declaration.secret);
  const allColumns = new Map(
    relation.columns.map((column) => [
      column.name,
      { ...toColumn(column), secret: secret.has(column.name) },
    ]),
  );
  const shown = [...allColumns.values()].filter(({ name }) => visible.has(name));
  const columns = new Map(
    [...shown, ...computed.filter(({ name }) => !allColumns.has(name))].map((column) => [
      column.name,
      column,
    ]),
  );
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
    comment: relation.comment,
    isOpen: shown.length === allColumns.size && secret.size === 0 && !declaration.rowRule,
    relationships,
  };
}

function buildFunctions<Context>(
  schema: string,
  catalog: Catalog,
  declarations: readonly FunctionDeclaration[],
  tables: ReadonlyMap<string, Table<Context>>,
  showsAll: boolean,
): Map<string, ApiFunction> {
  const relations = new Map(catalog.relations.map((relation) => [relation.oid, relation]));
  const functions = new Map<string, ApiFunction>();
  for (const declaration of declarations) {
    const overloads = catalog.functions
      .filter((found) => found.name === declaration.name && found.schema === schema)
      .map((found) => buildOverload(found, schema, relations, tables, showsAll));
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
  schema: string,
  relations: ReadonlyMap<number, CatalogRelation>,
  tables: ReadonlyMap<string, Table<Context>>,
  showsAll: boolean,
): Overload {
  const relation = relations.get(found.returnsRelation);
  const table = relation?.schema === schema ? tables.get(relation.name) : undefined;
  return {
    args: found.args
      .filter(({ mode }) => mode === "i" || mode === "b" || mode === "v")
      .map(({ name, type, base, optional, mode }) => ({
        name,
        type,
        base,
        isJson: isJson(base),
        optional,
        variadic: mode === "v",
      })),
    volatile: found.volatility === "v",
    returnsSet: found.returnsSet,
    returnsVoid: found.returns === "void",
    returns: found.returnsBase,
    mediaType: found.returnsSet ? null : found.mediaType,
    columns: table?.columns ?? resultColumns(found, relation, schema, showsAll),
    table: table?.name,
    rowsOf: relation?.name,
    comment: found.comment,
    settings: new Map(
      found.settings.map((setting) => {
        const equals = setting.indexOf("=");
        return [setting.slice(0, equals), setting.slice(equals + 1)];
      }),
    ),
  };
}

/** The columns of a result that is no declared table: its OUT arguments, or those of a composite type. */
function resultColumns(
  found: CatalogFunction,
  relation: CatalogRelation | undefined,
  schema: string,
  showsAll: boolean,
): Map<string, Column> | undefined {
  const out = found.args.filter(({ mode }) => mode === "t" || mode === "o" || mode === "b");
  // A record of unknown columns is a single value; one column with a name is not.
  if (out.length === 0 && (!found.returnsComposite || !relation)) return undefined;
  // Rows of a table are declared or they do not exist outside; a composite type is nobody's rows.
  const isNobodys = relation?.kind === "c" || (relation?.isPartition === true && showsAll);
  if (relation && !isNobodys && relation.schema === schema) {
    throw new Error(
      `data API: the function "${found.name}" returns rows of ${found.returns}, which is not a declared table.`,
    );
  }
  const columns = relation?.columns ?? out;
  return new Map(columns.map(({ name, type, base }) => [name, toColumn({ name, type, base })]));
}
