import { type CanaryDocument, canarySecretPlaces, secretPlaceholder } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { canarySealer } from "./canary-sealer.ts";
import type { CanaryRow } from "./check-document.ts";
import { placeIssues, refuseProblems } from "#platform/documents/refuse-problems.ts";
import { hasSource } from "#platform/documents/source-condition.ts";

/**
 * Documents that are only tried, with what their placeholders stand for: the stored secrets of the canary that has the
 * id, or else the document's uid, or its namespace and name in the console. They go nowhere else than when it runs.
 */
export async function fillStored(
  ctx: Ctx,
  { text, id, documents }: { text: string; id?: string | undefined; documents: CanaryDocument[] },
): Promise<CanaryDocument[]> {
  const sealer = canarySealer(ctx.config);
  return Promise.all(
    documents.map(async (document) => {
      const places = canarySecretPlaces(document.source);
      if (places.every(({ value }) => value !== secretPlaceholder)) return document;
      const { name, namespace, uid } = document;
      const wanted = id ?? uid ?? null;
      const row = await ctx.db.first<Pick<CanaryRow, "sealed">>(sql`
        select sealed from canaries
         where deleted_at is null
           and (id = ${wanted}::uuid
                or (${wanted}::uuid is null and name = ${name} and namespace = ${namespace} and ${hasSource({}, null)}))`);
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
