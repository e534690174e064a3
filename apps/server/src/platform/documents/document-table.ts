import type { AfterWrite, BeforeWrite, InputRow } from "@mainstay/data-api";
import { defaultNamespace } from "@mainstay/contract";
import { conflict } from "../errors.ts";
import { type KeyedIssue, refusePlaces } from "../http/refuse-places.ts";
import { table, type Table, type WriteContext } from "../table.ts";
import { withoutLastApplied } from "./annotations.ts";
import type { DocumentKind, DocumentParts, PlainDocumentRow } from "./document-kind.ts";
import { findTwin } from "./document-rows.ts";
import { judgeParts } from "./judge-parts.ts";
import { sealSpec } from "./kind-sealer.ts";
import { inRows } from "./locate-code.ts";

/**
 * The table of a kind of documents in the data API: rows that are posted or patched are judged, sealed and followed as
 * the documents are that come as text. Of several rows with a bad one none is written.
 */
export const documentTable = (
  kind: DocumentKind<PlainDocumentRow>,
  options: Partial<Table> = {},
): Table =>
  table(kind.table, {
    read: kind.format.resource,
    write: kind.format.resource,
    writable: ["id", "name", "namespace", "labels", "annotations", "spec", "source", "deleted_at"],
    ...(kind.format.mapSecrets && { hidden: ["sealed"] }),
    ignoreReadOnly: true,
    ...options,
    beforeWrite: (write) => judgeRows(kind, write),
    afterWrite: (write) => followRows(kind, write),
  });

/** Documents are judged before anything is written; each problem is named with its place in the text that was sent. */
async function judgeRows(
  kind: DocumentKind<PlainDocumentRow>,
  { verb, rows, context }: BeforeWrite<WriteContext>,
): Promise<InputRow[]> {
  if (verb === "delete") return rows;
  const isList = context.body.trimStart().startsWith("[");
  const issues: KeyedIssue[] = [];
  const prepared = rows.map((row, index) => {
    const filled = verb === "insert" ? fill(row, context) : { ...row };
    const found = judgeRow(kind, filled, verb);
    for (const issue of found)
      issues.push(isList ? { ...issue, path: [index, ...issue.path] } : issue);
    if (isObject(filled.annotations)) filled.annotations = withoutLastApplied(filled.annotations);
    if (found.length === 0 && isObject(filled.spec)) {
      const at = isList ? [index, "spec"] : ["spec"];
      Object.assign(filled, sealSpec(context.ctx.config, kind, filled.spec, at));
    }
    return filled;
  });
  if (issues.length > 0) throw refusePlaces("The document was not saved.", context.body, issues);
  if (verb === "insert") for (const row of prepared) await refuseTwin(kind, row, context);
  return prepared;
}

function fill(row: InputRow, { ctx }: WriteContext): InputRow {
  return {
    ...row,
    namespace: row.namespace ?? defaultNamespace,
    // What is left out stays so: clients take any text for a place elsewhere, and lock the row.
    source: row.source || null,
    // Who wrote it is who asked, whatever the body says.
    ...(ctx.actor.kind === "person" ? { created_by: ctx.actor.id } : {}),
  };
}

/** An update may hold a part of the row only; the rest has been judged when it was written. */
function judgeRow(
  kind: DocumentKind<PlainDocumentRow>,
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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

async function refuseTwin(
  kind: DocumentKind<PlainDocumentRow>,
  row: InputRow,
  { tx }: WriteContext,
): Promise<void> {
  const { name, namespace, source } = row as unknown as PlainDocumentRow;
  if (await findTwin(tx, kind, { name, namespace, source })) {
    throw conflict(
      `There is already a ${kind.format.name} called "${name}" in the namespace "${namespace}". Edit that one, or choose another name.`,
    );
  }
}

async function followRows(
  kind: DocumentKind<PlainDocumentRow>,
  { verb, rows, context }: AfterWrite<WriteContext>,
): Promise<void> {
  for (const [index, row] of rows.entries()) {
    const written = row as unknown as PlainDocumentRow;
    // A row that is gone takes along what its foreign keys say; the rest follows as from any deletion.
    await kind.follow(
      context.ctx,
      context.tx,
      verb === "delete" ? { ...written, deleted_at: new Date() } : written,
      { locate: inRows(context.body, index) },
    );
  }
}
