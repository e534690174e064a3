import { createHash } from "node:crypto";
import type { ParsedDocument } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { recordRun } from "./record-run.ts";

export interface DryRunRecord {
  text: string;
  documents: readonly Pick<ParsedDocument, "name" | "namespace">[];
  isRefused: boolean;
}

/** Writes down that somebody tries documents that are not stored; nothing where the text has none. */
export async function recordDryRun(
  ctx: Ctx,
  { text, documents, isRefused }: DryRunRecord,
): Promise<void> {
  const names = documents.map(({ namespace, name }) => `${namespace}/${name}`);
  const [first] = names;
  if (first === undefined) return;
  await recordRun(ctx, {
    verb: "dry_run",
    table: "documents",
    row: first,
    about: {
      name: names.length > 1 ? `${first} and ${names.length - 1} more` : first,
      sha256: createHash("sha256").update(text).digest("hex"),
      documents: names.length,
      refused: isRefused,
    },
  });
}
