import {
  type CanaryDocument,
  checksOf,
  codeInCanarySpec,
  parseCanaryDocuments,
} from "@mainstay/contract";
import { valueAsJson } from "@mainstay/scripting";
import sql from "sql-template-tag";
import type { Ctx, Tx } from "#platform/context.ts";
import { deleteRow } from "#platform/documents/document-rows.ts";
import type { DocumentKind } from "#platform/documents/document-kind.ts";
import { ScriptMistake } from "#platform/scripts/evaluate-script.ts";
import { checkNeeds } from "../runner/written-check.ts";
import type { MadeCanary } from "../scripts/transform.ts";
import { agreeCanaries } from "./agree-canaries.ts";
import type { CanaryRow } from "./check-document.ts";

/*
 * Canaries that the transform of a check makes (spec formats, section 5.4) are documents of their own, kept where the
 * check is: they follow its results that make any, and go with it. What a target answers may stand in them, so they may do
 * less than what a person writes: nothing on the server's machine, nothing with stored values, and no more canaries.
 */

/** Canaries that one check may make. */
const MOST_CANARIES = 100;
const PLACE = "made by the check ";
const sourceOf = (checkId: string) => `${PLACE}${checkId}`;

export const isMadeByCheck = (source: string | null): boolean => source?.startsWith(PLACE) === true;

interface Maker {
  checkId: string;
  /** Of the canary that the check belongs to. */
  namespace: string;
}

/** Makes the documents of a check agree with what its transform made. @throws ScriptMistake */
export const saveMadeCanaries = (
  ctx: Ctx,
  kind: DocumentKind<CanaryRow>,
  { checkId, namespace }: Maker,
  canaries: readonly MadeCanary[],
): Promise<void> =>
  agreeCanaries(ctx, kind, {
    source: sourceOf(checkId),
    documents: read(canaries, namespace),
    // Deleted meanwhile, and with it all that it made.
    isStillThere: async (tx) =>
      (await tx.first(
        sql`select from checks where id = ${checkId} and deleted_at is null for share`,
      )) !== undefined,
  });

function read(canaries: readonly MadeCanary[], namespace: string): CanaryDocument[] {
  if (canaries.length > MOST_CANARIES)
    throw new ScriptMistake(
      `transform: makes ${canaries.length} canaries, at most ${MOST_CANARIES} fit.`,
    );
  const read = canaries.map((canary) => readOne(canary, namespace));
  const names = new Set(read.map((one) => `${one.namespace}/${one.name}`));
  if (names.size < read.length)
    throw new ScriptMistake("transform: makes two canaries of one name and namespace.");
  return read;
}

function readOne({ name, spec, labels, ...own }: MadeCanary, namespace: string): CanaryDocument {
  const refuse = (why: string) =>
    new ScriptMistake(`transform: makes the canary "${name}", ${why}`);
  const document = {
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    // Its texts are no templates, whatever a target has put into them.
    metadata: {
      name,
      namespace: own.namespace ?? namespace,
      labels,
      annotations: { template: "false" },
    },
    spec,
  };
  const { documents, problems } = parseCanaryDocuments(valueAsJson(document));
  const [wrong] = problems.filter(({ severity }) => severity === "error");
  if (wrong) throw refuse(`which is wrong: ${wrong.path}: ${wrong.message}`);
  const made = documents[0]!;
  const [code] = codeInCanarySpec(made.source);
  if (code)
    throw refuse(
      `whose ${code.path[0]} check "${code.name}" reaches into the server's own machine: only a document may say that.`,
    );
  for (const check of checksOf(made))
    if (checkNeeds(check) !== undefined)
      throw refuse(
        `whose ${check.type} check "${check.name}" names stored values or connections: only a document may say which.`,
      );
  return made;
}

/** What was made by checks of this canary that are no more, or make nothing any more. */
export async function dropMadeCanaries(
  ctx: Ctx,
  tx: Tx,
  kind: DocumentKind<CanaryRow>,
  { id, deleted_at: deletedAt }: CanaryRow,
): Promise<void> {
  const gone = await tx.rows<{ id: string }>(sql`
    select c.id from checks k join canaries c on c.source = ${PLACE} || k.id and c.deleted_at is null
     where k.canary_id = ${id} and (${deletedAt !== null} or k.deleted_at is not null or k.spec -> 'transform' is null)`);
  const system = ctx.as({ kind: "system" });
  for (const one of gone) await deleteRow(system, tx, kind, one.id);
}
