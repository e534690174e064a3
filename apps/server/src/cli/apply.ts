import type { SavedDocument } from "@mainstay/contract";
import { kindCalled } from "./document-kinds.ts";
import { readDocuments, type SendOptions, sendDocuments } from "./read-documents.ts";
import { findServer, type ServerFlags } from "./server-access.ts";

interface ApplyOptions extends ServerFlags, SendOptions {
  file: string[];
}

/**
 * Creates or updates what the files define, all of it or nothing, whichever file is bad. Exit code 2 when one is.
 */
export async function apply(options: ApplyOptions): Promise<void> {
  const read = readDocuments(options.file);
  const applied = read && (await sendDocuments(findServer(options), read.files, options));
  if (!applied) {
    process.exitCode = 2;
    return;
  }
  for (const document of applied.documents)
    console.log(`${titleOf(document)} ${document.outcome}${applied.dryRun ? " (dry run)" : ""}`);
}

export const titleOf = ({
  kind,
  namespace,
  name,
}: Pick<SavedDocument, "kind" | "namespace" | "name">) =>
  `${kindCalled(kind).name} ${namespace}/${name}`;
