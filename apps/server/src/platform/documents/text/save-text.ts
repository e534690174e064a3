import type { ParsedDocument } from "@mainstay/contract";
import { escapeIdentifier } from "pg";
import sql, { raw } from "sql-template-tag";
import type { Tx } from "../../context.ts";
import type { DocumentKind, DocumentRow } from "../document-kind.ts";
import { hiddenIn, isJson, shownText, textToKeep } from "./document-text.ts";
import { keepText, readTexts } from "./kept-texts.ts";

interface SavedAs<Row extends DocumentRow> {
  document: ParsedDocument;
  /** As it was saved. */
  row: Row;
  /** The row says something else than before. */
  isChanged: boolean;
  isNew: boolean;
}

interface SavedText {
  /** Nothing where nobody had written one. */
  before: string | undefined;
  after: string;
  /** It reads otherwise than the one before it. Where there was none, that nothing else changed counts. */
  isChanged: boolean;
}

/** Keeps the text of a document that was saved. */
export async function saveText<Row extends DocumentRow>(
  tx: Tx,
  kind: DocumentKind<Row>,
  { document, row, isChanged: isOtherRow, isNew }: SavedAs<Row>,
): Promise<SavedText> {
  const { id } = row;
  const kept = isNew ? undefined : (await readTexts(tx, kind, [id])).get(id);
  const secrets = hiddenIn(kind, document.source);
  // No text of the database holds a zero.
  const hasText = !isJson(document.text) && !document.text.includes("\0");
  const written = hasText ? document.text : kept?.text;
  const after = textToKeep(kind, row, { written, secrets });
  const saved = { before: kept?.text, after, isChanged: false };
  if (kept?.text === after && kept.is_current) return saved;
  await keepText(tx, kind, { id, text: after });
  if (!kept || isOtherRow) return saved;
  if (shownText(kind, row, kept) === after) return saved;
  // Whoever has it open learns of it as of any change.
  await tx.run(
    sql`update ${raw(escapeIdentifier(kind.table))} set updated_at = now() where id = ${id}::uuid`,
  );
  return { ...saved, isChanged: true };
}
