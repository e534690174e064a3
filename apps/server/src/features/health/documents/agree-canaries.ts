import { type CanaryDocument, mapCanarySecrets, secretPlaceholder } from "@mainstay/contract";
import { isDeepStrictEqual } from "node:util";
import sql from "sql-template-tag";
import type { Ctx, Tx } from "#platform/context.ts";
import type { DocumentKind } from "#platform/documents/document-kind.ts";
import { deleteRow, saveRow } from "#platform/documents/document-rows.ts";
import type { CanaryRow } from "./check-document.ts";

export interface AgreeOptions {
  /** Where the canaries are kept: the one that makes them. */
  source: string;
  documents: readonly CanaryDocument[];
  /** Its canaries, where they have been read already; of many sources that is one query (`canariesOf`). */
  known?: readonly CanaryRow[];
  /** When what makes them was changed: secrets in them may be others since. */
  changedAt?: Date | null;
  /** Of canaries that are none of the documents: those that stay all the same. */
  isKept?(row: CanaryRow): boolean;
  /** Locks what makes them, and says whether it is still there: else nothing is written. */
  isStillThere(tx: Tx): Promise<boolean>;
}

/** The canaries of sources, by the source. */
export async function canariesOf(
  ctx: Ctx,
  sources: readonly string[],
): Promise<Map<string, CanaryRow[]>> {
  const rows = await ctx.db.rows<CanaryRow & { source: string }>(sql`
    select * from canaries where source = any (${[...sources]}) and deleted_at is null`);
  return Map.groupBy(rows, ({ source }) => source);
}

/** Makes the canaries of one source agree with what they are to be. Others of their names are not touched. */
export async function agreeCanaries(
  ctx: Ctx,
  kind: DocumentKind<CanaryRow>,
  { source, documents, changedAt, isKept, isStillThere, ...read }: AgreeOptions,
): Promise<void> {
  const system = ctx.as({ kind: "system" });
  const known = read.known ?? (await canariesOf(ctx, [source])).get(source) ?? [];
  const keyOf = (one: { namespace: string; name: string }) => `${one.namespace}/${one.name}`;
  const wanted = new Map(documents.map((document) => [keyOf(document), document]));
  const gone = known.filter((row) => !wanted.has(keyOf(row)) && !isKept?.(row));
  const changed = documents.filter((document) => {
    const row = known.find((one) => keyOf(one) === keyOf(document));
    return !row || !isSame(row, document, changedAt);
  });
  if (gone.length === 0 && changed.length === 0) return;
  await system.tx(async (tx) => {
    if (!(await isStillThere(tx))) return;
    for (const document of changed) await saveRow(system, tx, kind, { document, source });
    for (const { id } of gone) await deleteRow(system, tx, kind, id);
  });
}

function isSame(row: CanaryRow, document: CanaryDocument, changedAt: Date | null = null): boolean {
  const hasSecrets = Object.keys(row.sealed ?? {}).length > 0;
  const shown = mapCanarySecrets(document.source, () => secretPlaceholder);
  return (
    isDeepStrictEqual(row.spec, shown) &&
    isDeepStrictEqual(row.labels ?? {}, document.labels) &&
    (!hasSecrets || changedAt === null || (row.updated_at !== null && row.updated_at >= changedAt))
  );
}
