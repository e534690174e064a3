import {
  type CanaryDocument,
  locateIssues,
  parseCanaryDocuments,
  type Problem,
  type SavedDocument,
} from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx, Tx } from "#platform/context.ts";
import { takeLocksOf } from "#platform/db/advisory-locks.ts";
import { AppError } from "#platform/errors.ts";
import type { Locate } from "#platform/require-code.ts";
import { type CanaryRow, checkDocument } from "./check-document.ts";
import { type RefusedSecret, refusedSecrets } from "#platform/sealing/sealing-refusal.ts";
import type { Sealer } from "#platform/sealing/sealer.ts";
import { canarySealer } from "./canary-sealer.ts";
import { inDocument } from "./locate-code.ts";
import { normaliseAnnotations, normaliseSpec } from "./normalise.ts";
import { hasSource } from "./source-condition.ts";
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
    await takeNames(tx, documents, input.source);
    const saved: SavedDocument[] = [];
    for (const document of documents) {
      const locate = inDocument(input.text, document.index);
      const canary = await saveCanary(ctx, tx, { document, source: input.source, locate }).catch(
        (error: unknown) => {
          const refused = refusedSecrets(error);
          throw refused ? refuse(placeRefused(input.text, document, refused)) : error;
        },
      );
      saved.push(canary);
    }
    return saved;
  });
}

/** Of texts that are saved at the same time, those with a document in common wait for each other; all lock in one order. */
async function takeNames(
  tx: Tx,
  documents: readonly CanaryDocument[],
  source: string,
): Promise<void> {
  const keys = documents.map(({ namespace, name }) => JSON.stringify([namespace, name, source]));
  await takeLocksOf(tx, "documents", keys);
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

/** Placeholders that nothing stands behind, as problems of the text. */
export function placeRefused(
  text: string,
  document: CanaryDocument,
  refused: readonly RefusedSecret[],
): Problem[] {
  const issues = refused.map((issue) => ({ ...issue, document: document.index }));
  return locateIssues(text, issues).map(({ path, message, line, column }) => ({
    severity: "error",
    path: path.join("."),
    message,
    line,
    column,
    document: document.index,
  }));
}

export function refuse(problems: readonly Problem[], what = "Nothing was saved."): AppError {
  const first = problems[0]!;
  const where = `line ${first.line}, column ${first.column}: ${first.path ? `${first.path}: ` : ""}${first.message}`;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return new AppError("invalid", `${what} ${where}${more}`, {
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
     where id = ${uid ?? null}::uuid or (name = ${name} and namespace = ${namespace} and ${hasSource(source)} and deleted_at is null)
     order by id = ${uid ?? null}::uuid desc nulls last limit 1 for update`);
  const sealer = canarySealer(ctx.config);
  const spec = sealer.seal(normaliseSpec(document.source), ["spec"]);
  const row = known
    ? await updateRow(tx, known.id, document, spec)
    : await insertRow(ctx, tx, document, spec, source);
  const synced = row.changed
    ? await syncCanary(ctx, tx, row, { runSoon: true, sealer, ...(locate && { locate }) })
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
type SealedSpec = ReturnType<Sealer["seal"]>;

/** The comparison is the database's: two texts of one value are no change. */
async function updateRow(
  tx: Tx,
  id: string,
  document: CanaryDocument,
  spec: SealedSpec,
): Promise<SavedRow> {
  const row = await tx.first<SavedRow>(sql`
    update canaries c
       set name = ${document.name}, namespace = ${document.namespace}, spec = ${JSON.stringify(spec.document)}::jsonb,
           sealed = ${JSON.stringify(spec.sealed)}::jsonb,
           labels = ${JSON.stringify(document.labels)}::jsonb, annotations = ${JSON.stringify(normaliseAnnotations(document.annotations))}::jsonb,
           deleted_at = null
      from (select * from canaries where id = ${id}) o
     where c.id = o.id
    returning c.*, (o.name, o.namespace, o.spec, o.sealed, coalesce(o.labels, '{}'), coalesce(o.annotations, '{}'), o.deleted_at)
      is distinct from (c.name, c.namespace, c.spec, c.sealed, c.labels, c.annotations, c.deleted_at) as changed`);
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
  spec: SealedSpec,
  source: string,
): Promise<SavedRow> {
  const row = await tx.first<SavedRow>(sql`
    insert into canaries (id, name, namespace, labels, annotations, spec, sealed, source, created_by)
    values (coalesce(${document.uid ?? null}::uuid, generate_ulid()), ${document.name}, ${document.namespace},
            ${JSON.stringify(document.labels)}::jsonb, ${JSON.stringify(normaliseAnnotations(document.annotations))}::jsonb,
            ${JSON.stringify(spec.document)}::jsonb, ${JSON.stringify(spec.sealed)}::jsonb, ${source}, ${ctx.actor.kind === "person" ? ctx.actor.id : null})
    returning *, true as changed`);
  if (!row) throw new Error(`The canary ${document.namespace}/${document.name} was not written.`);
  return row;
}
