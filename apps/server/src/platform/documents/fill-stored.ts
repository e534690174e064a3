import { type DocumentFormat, type ParsedDocument, secretPlaceholder } from "@mainstay/contract";
import { escapeIdentifier } from "pg";
import sql, { raw } from "sql-template-tag";
import type { Ctx } from "../context.ts";
import type { Sealed } from "../sealing/sealed.ts";
import { createSealer } from "../sealing/sealer.ts";
import type { DocumentKind } from "./document-kind.ts";
import { placeIssues, refuseProblems } from "./refuse-problems.ts";
import { hasSource } from "./source-condition.ts";

/** A kind, as far as its secrets are concerned. */
type SecretsOfKind = Pick<DocumentKind, "table" | "exactSource"> & {
  format: Pick<DocumentFormat, "name" | "mapSecrets">;
};

/**
 * Documents that are only tried, with what their placeholders stand for: the stored secrets of the row that has the id,
 * or else the document's uid, or its namespace and name in the console. They go nowhere else than when it runs.
 */
export async function fillStored<Spec>(
  ctx: Ctx,
  kind: SecretsOfKind,
  {
    text,
    id,
    documents,
  }: { text: string; id?: string | undefined; documents: readonly ParsedDocument<Spec>[] },
): Promise<ParsedDocument<Spec>[]> {
  const { name: kindName, mapSecrets } = kind.format;
  if (!mapSecrets) return [...documents];
  const sealer = createSealer(ctx.config, { name: kindName, map: mapSecrets });
  return Promise.all(
    documents.map(async (document) => {
      if (!hasPlaceholder(document)) return document;
      const { name, namespace, uid } = document;
      const wanted = id ?? uid ?? null;
      const row = await ctx.db.first<{ sealed: Sealed }>(sql`
        select sealed from ${raw(escapeIdentifier(kind.table))}
         where deleted_at is null
           and (id = ${wanted}::uuid
                or (${wanted}::uuid is null and name = ${name} and namespace = ${namespace} and ${hasSource(kind, null)}))`);
      const { document: source, failures } = sealer.open(document.source, row?.sealed ?? {});
      if (failures.length > 0) {
        const refused = failures.map(({ place, message }) => ({
          path: ["spec", ...place.keys],
          message,
        }));
        throw refuseProblems(placeIssues(text, document, refused), {
          what: "The document was not run.",
        });
      }
      return { ...document, source };
    }),
  );
}

function hasPlaceholder({ format, source }: ParsedDocument): boolean {
  let found = false;
  format.mapSecrets?.(source, ({ value }) => {
    found ||= value === secretPlaceholder;
    return value;
  });
  return found;
}
