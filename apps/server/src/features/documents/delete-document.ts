import type { SavedDocument } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import type { DocumentKind } from "#platform/documents/document-kind.ts";
import { deleteRow } from "#platform/documents/document-rows.ts";
import { notFound } from "#platform/errors.ts";
import { findOne, type Wanted } from "./find-documents.ts";

/** Deletes one document, with what it defines. */
export async function deleteDocument(
  ctx: Ctx,
  kind: DocumentKind,
  wanted: Wanted,
): Promise<SavedDocument> {
  ctx.require(kind.format.resource, "write");
  return ctx.tx(async (tx) => {
    const row = await findOne(tx, kind, wanted);
    const { name, namespace } = kind.toParts(row);
    // Somebody else was faster.
    if (!(await deleteRow(ctx, tx, kind, row.id)))
      throw notFound(`${kind.format.name} ${namespace}/${name} was not found.`);
    return { kind: kind.format.kind, id: row.id, name, namespace, outcome: "deleted", held: [] };
  });
}
