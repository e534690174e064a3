import type { AfterWrite, BeforeWrite, InputRow } from "@mainstay/data-api";
import { defaultNamespace, isKeptInConsole } from "@mainstay/contract";
import { conflict } from "../errors.ts";
import { type KeyedIssue, refusePlaces } from "../http/refuse-places.ts";
import { table, type Table, type WriteContext } from "../table.ts";
import { withoutLastApplied } from "./annotations.ts";
import {
  type DocumentKind,
  type DocumentParts,
  type DocumentRow,
  plainColumns,
  sourceOf,
} from "./document-kind.ts";
import { KeptElsewhere } from "./kept-elsewhere.ts";
import { findTwin } from "./document-rows.ts";
import { judgeParts } from "./judge-parts.ts";
import { sealSpec } from "./kind-sealer.ts";
import { inRows } from "./locate-code.ts";
import { forgetTexts } from "./text/kept-texts.ts";

/**
 * The table of a kind of documents in the data API: rows that are posted or patched are judged, sealed and followed as
 * the documents are that come as text. Of several rows with a bad one none is written.
 */
export const documentTable = <Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  options: Partial<Table> = {},
): Table =>
  table(kind.table, {
    read: kind.format.resource,
    write: kind.format.resource,
    writable: ["id", ...(kind.columns ?? plainColumns), "source", "deleted_at"],
    ...(kind.format.mapSecrets && { hidden: ["sealed"] }),
    ignoreReadOnly: true,
    ...options,
    beforeWrite: (write) => judgeRows(kind, write),
    afterWrite: (write) => followRows(kind, write),
  });

/** Documents are judged before anything is written; each problem is named with its place in the text that was sent. */
async function judgeRows<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  { verb, rows, context }: BeforeWrite<WriteContext>,
): Promise<InputRow[]> {
  if (verb === "delete") return rows;
  const isList = context.body.trimStart().startsWith("[");
  const issues: KeyedIssue[] = [];
  const prepared = rows.map((row, index) => {
    const filled = verb === "insert" ? fill(kind, row, context) : { ...row };
    const at = isList ? [index] : [];
    const found = kind.columns
      ? judgeSpread(kind, kind.columns, filled, verb)
      : judgePlain(kind, filled, verb);
    issues.push(...found.map((issue) => ({ ...issue, path: [...at, ...issue.path] })));
    if (found.length > 0) return filled;
    if (kind.columns) return sealSpread(kind, kind.columns, { row: filled, verb, at, context });
    if (isObject(filled.annotations)) filled.annotations = withoutLastApplied(filled.annotations);
    if (isObject(filled.spec))
      Object.assign(filled, sealSpec(context.ctx.config, kind, filled.spec, [...at, "spec"]));
    return filled;
  });
  if (issues.length === 0 && kind.judge)
    for (const [index, row] of rows.entries())
      issues.push(...(await judgeFurther(kind, row, { at: isList ? [index] : [], context })));
  if (issues.length > 0) throw refusePlaces("The document was not saved.", context.body, issues);
  if (verb === "insert") for (const row of prepared) await refuseTwin(kind, row, context);
  return prepared;
}

async function judgeFurther<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  { annotations, spec }: InputRow,
  { at, context }: { at: readonly number[]; context: WriteContext },
): Promise<KeyedIssue[]> {
  if (!isObject(spec)) return [];
  const parts = { spec, annotations: isObject(annotations) ? annotations : null };
  const found = await kind.judge!(context.ctx, parts as never);
  return found.map((issue) => ({ ...issue, path: [...at, ...issue.path] }));
}

function fill<Row extends DocumentRow>(
  { columns }: DocumentKind<Row>,
  row: InputRow,
  { ctx }: WriteContext,
): InputRow {
  return {
    ...row,
    ...(columns ? {} : { namespace: row.namespace ?? defaultNamespace }),
    // What is left out stays so: clients take any text for a place elsewhere, and lock the row.
    source: row.source || null,
    // Who wrote it is who asked, whatever the body says.
    ...(ctx.actor.kind === "person" ? { created_by: ctx.actor.id } : {}),
  };
}

/** An update may hold a part of the row only; the rest has been judged when it was written. */
function judgePlain<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  row: InputRow,
  verb: "insert" | "update",
): KeyedIssue[] {
  const has = (key: string) => verb === "insert" || row[key] !== undefined;
  const wrong: KeyedIssue[] = [];
  const mustBe = (key: string, what: string, isRight: (value: unknown) => boolean) => {
    if (has(key) && !isRight(row[key])) {
      wrong.push({
        path: [key],
        message:
          row[key] === undefined ? `"${key}" is missing: expected ${what}.` : `Expected ${what}.`,
      });
    }
  };
  const isMap = (value: unknown) => value === null || value === undefined || isObject(value);
  mustBe("name", "a text", (value) => typeof value === "string");
  mustBe("namespace", "a text", (value) => typeof value === "string");
  mustBe("spec", "a mapping", isObject);
  mustBe("labels", "a mapping", isMap);
  mustBe("annotations", "a mapping", isMap);
  if (wrong.length > 0) return wrong;
  const { name, namespace, labels, annotations, spec } = row as unknown as Partial<DocumentParts>;
  const { issues = [] } = judgeParts(kind.format, {
    name: name ?? "unnamed",
    namespace: namespace ?? defaultNamespace,
    labels: labels ?? null,
    annotations: annotations ?? null,
    spec: spec ?? {},
  });
  return issues.filter(({ path: [part] }) => typeof part !== "string" || has(part));
}

/** The document of a row that was sent. What a column does not say is nothing. */
function partsOf<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  columns: readonly string[],
  row: InputRow,
): DocumentParts {
  const whole = Object.fromEntries(columns.map((name) => [name, row[name] ?? null]));
  return kind.toParts(whole as unknown as Row);
}

const isWhole = (columns: readonly string[], row: InputRow) =>
  columns.every((name) => row[name] !== undefined);

/** A part of a spread row says too little to judge: the whole is judged when it is written (`followRows`). */
function judgeSpread<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  columns: readonly string[],
  row: InputRow,
  verb: "insert" | "update",
): KeyedIssue[] {
  if (verb === "update" && !isWhole(columns, row)) return [];
  const { issues = [] } = judgeParts(kind.format, partsOf(kind, columns, row));
  return issues.map((issue) => ({ ...issue, path: columnPath(columns, issue.path) }));
}

/** A field of the spec is a column where there is one of its name. */
const columnPath = (columns: readonly string[], path: KeyedIssue["path"]): KeyedIssue["path"] =>
  path[0] === "spec" && columns.includes(String(path[1])) ? path.slice(1) : path;

/** All secrets of a row are sealed together, so that a new one comes with the whole document. */
function sealSpread<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  columns: readonly string[],
  {
    row,
    verb,
    at,
    context,
  }: {
    row: InputRow;
    verb: "insert" | "update";
    at: readonly (string | number)[];
    context: WriteContext;
  },
): InputRow {
  const parts = partsOf(kind, columns, row);
  const { spec, sealed } = sealSpec(context.ctx.config, kind, parts.spec, at);
  if (verb === "insert" || isWhole(columns, row))
    return {
      ...row,
      ...kind.toRow({ ...parts, annotations: withoutLastApplied(parts.annotations ?? {}), spec }),
      ...(sealed && { sealed }),
    };
  if (Object.keys(sealed ?? {}).length === 0) return row;
  throw refusePlaces("The document was not saved.", context.body, [
    { path: at, message: "A secret is changed with the whole document: send all of its columns." },
  ]);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

async function refuseTwin<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  row: InputRow,
  { tx }: WriteContext,
): Promise<void> {
  const { name, namespace } = kind.toParts(row as unknown as Row);
  const { source } = row as unknown as Row;
  if (await findTwin(tx, kind, { name, namespace, source })) {
    throw conflict(
      `There is already a ${kind.format.name} called "${name}" in the namespace "${namespace}". Edit that one, or choose another name.`,
    );
  }
}

async function followRows<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  { verb, rows, sent, context }: AfterWrite<WriteContext>,
): Promise<void> {
  const isGone = ({ deleted_at: deletedAt }: Row) => verb === "delete" || deletedAt !== null;
  const gone = (rows as unknown as Row[]).filter(isGone).map(({ id }) => id);
  await forgetTexts(context.tx, kind, gone);
  for (const [index, row] of rows.entries()) {
    const written = row as unknown as Row;
    if (verb === "update") refuseElsewhere(kind, written, sent[0]?.source);
    if (kind.columns && verb === "update") refuseBad(kind, kind.columns, written, context);
    // A row that is gone takes along what its foreign keys say; the rest follows as from any deletion.
    await kind.follow(
      context.ctx,
      context.tx,
      verb === "delete" ? { ...written, deleted_at: new Date() } : written,
      { locate: inRows(context.body, index) },
    );
  }
}

/**
 * A row that is kept elsewhere is changed by whoever says so with it, and deleted by anybody who may write. What would
 * move it is refused where its old source is known (`keep_source`).
 */
function refuseElsewhere<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  row: Row,
  named: unknown,
): void {
  if (row.deleted_at !== null || isKeptInConsole(row.source) || named === row.source) return;
  const { name, namespace } = kind.toParts(row);
  throw new KeptElsewhere(kind, { name, namespace, source: sourceOf(kind, row) });
}

/** Of an update that sent a part: the row as it is now must be a document. Throwing takes all rows back. */
function refuseBad<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  columns: readonly string[],
  row: Row,
  { body }: WriteContext,
): void {
  if (row.deleted_at !== null) return;
  const { issues } = judgeParts(kind.format, kind.toParts(row));
  if (!issues) return;
  const placed = issues.map((issue) => ({ ...issue, path: columnPath(columns, issue.path) }));
  throw refusePlaces("The document was not saved.", body, placed);
}
