import {
  type CanaryDocument,
  parseCanaryDocuments,
  type Problem,
  type SavedDocument,
} from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx, Tx } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import type { Locate } from "#platform/require-code.ts";
import { type CanaryRow, checkDocument } from "./check-document.ts";
import { inDocument } from "./locate-code.ts";
import { normaliseSpec } from "./normalise.ts";
import { syncCanary } from "./sync-canary.ts";

export interface DocumentsInput {
  /** YAML or JSON; many documents may follow each other. */
  text: string;
  /** Where they come from, for example a file's name; part of what tells documents apart. */
  source: string;
}

/** Saves all documents of a text, or none when any of them is bad: every problem is named with its place. */
export async function saveDocuments(ctx: Ctx, input: DocumentsInput): Promise<SavedDocument[]> {
  ctx.require("canaries", "write");
  const documents = readDocuments(input.text);
  return ctx.tx(async (tx) => {
    const saved: SavedDocument[] = [];
    for (const document of documents)
      saved.push(
        await saveCanary(ctx, tx, {
          document,
          source: input.source,
          locate: inDocument(input.text, document.index),
        }),
      );
    return saved;
  });
}

/** The documents of a text; refuses the text when any of them has an error. */
export function readDocuments(text: string): CanaryDocument[] {
  const { documents, problems } = parseCanaryDocuments(text);
  const errors = problems.filter((problem) => problem.severity === "error");
  for (const document of documents) errors.push(...findTwice(document, documents));
  if (errors.length > 0) throw refuse(errors);
  return documents;
}

/** What only shows when documents are seen as rows, or beside each other. */
function findTwice(document: CanaryDocument, documents: readonly CanaryDocument[]): Problem[] {
  const at = {
    severity: "error" as const,
    line: document.line,
    column: 1,
    document: document.index,
  };
  const { name, namespace } = document;
  const issues = checkDocument({ ...document, spec: document.source }).issues ?? [];
  const twin = documents.find((other) => other.name === name && other.namespace === namespace);
  return [
    ...issues.map(({ path, message }) => ({ ...at, path: path.join("."), message })),
    ...(twin && twin !== document
      ? [
          {
            ...at,
            path: "metadata.name",
            message: `"${namespace}/${name}" is already the document at line ${twin.line}.`,
          },
        ]
      : []),
  ];
}

function refuse(problems: readonly Problem[]): AppError {
  const first = problems[0]!;
  const where = `line ${first.line}, column ${first.column}: ${first.path ? `${first.path}: ` : ""}${first.message}`;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return new AppError("invalid", `Nothing was saved. ${where}${more}`, {
    issues: problems.map(({ path, message, line, column }) => ({ path, message, line, column })),
  });
}

/** One document to its row: the row of its uid, or of its namespace, name and source, or a new one. */
export async function saveCanary(
  ctx: Ctx,
  tx: Tx,
  { document, source, locate }: { document: CanaryDocument; source: string; locate?: Locate },
): Promise<SavedDocument> {
  const { name, namespace, uid } = document;
  const known = await tx.first<{ id: string }>(sql`
    select id from canaries
     where id = ${uid ?? null}::uuid or (name = ${name} and namespace = ${namespace} and source = ${source} and deleted_at is null)
     order by id = ${uid ?? null}::uuid desc nulls last limit 1 for update`);
  const row = known
    ? await updateRow(tx, known.id, document)
    : await insertRow(ctx, tx, document, source);
  const synced = row.changed
    ? await syncCanary(ctx, tx, row, { runSoon: true, ...(locate && { locate }) })
    : checkDocument(row);
  const checks = synced && !synced.issues ? synced.checks : [];
  return {
    id: row.id,
    name,
    namespace,
    outcome: known ? (row.changed ? "updated" : "unchanged") : "created",
    held: checks.flatMap((check) =>
      check.held ? [{ type: check.type, name: check.name, reason: check.held }] : [],
    ),
  };
}

type SavedRow = CanaryRow & { changed: boolean };

/** The comparison is the database's: two texts of one value are no change. */
async function updateRow(tx: Tx, id: string, document: CanaryDocument): Promise<SavedRow> {
  const row = await tx.first<SavedRow>(sql`
    update canaries c
       set name = ${document.name}, namespace = ${document.namespace}, spec = ${specOf(document)}::jsonb,
           labels = ${JSON.stringify(document.labels)}::jsonb, annotations = ${JSON.stringify(document.annotations)}::jsonb,
           deleted_at = null
      from (select * from canaries where id = ${id}) o
     where c.id = o.id
    returning c.*, (o.name, o.namespace, o.spec, coalesce(o.labels, '{}'), coalesce(o.annotations, '{}'), o.deleted_at)
      is distinct from (c.name, c.namespace, c.spec, c.labels, c.annotations, c.deleted_at) as changed`);
  if (!row)
    throw new Error(
      `The canary ${document.namespace}/${document.name} has gone while it was saved.`,
    );
  return row;
}

async function insertRow(
  ctx: Ctx,
  tx: Tx,
  document: CanaryDocument,
  source: string,
): Promise<SavedRow> {
  const row = await tx.first<SavedRow>(sql`
    insert into canaries (id, name, namespace, labels, annotations, spec, source, created_by)
    values (coalesce(${document.uid ?? null}::uuid, generate_ulid()), ${document.name}, ${document.namespace},
            ${JSON.stringify(document.labels)}::jsonb, ${JSON.stringify(document.annotations)}::jsonb,
            ${specOf(document)}::jsonb, ${source}, ${ctx.actor.kind === "person" ? ctx.actor.id : null})
    returning *, true as changed`);
  if (!row) throw new Error(`The canary ${document.namespace}/${document.name} was not written.`);
  return row;
}

const specOf = (document: CanaryDocument) => JSON.stringify(normaliseSpec(document.source));
