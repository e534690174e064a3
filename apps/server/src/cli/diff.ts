import type { SavedDocument } from "@mainstay/contract";
import { StartupError } from "@mainstay/embedded-postgres";
import { createTwoFilesPatch } from "diff";
import { titleOf } from "./apply.ts";
import { readDocuments, type SendOptions, sendDocuments } from "./read-documents.ts";
import { findServer, type ServerFlags } from "./server-access.ts";

interface DiffOptions extends ServerFlags, Omit<SendOptions, "dryRun"> {
  file: string[];
}

/**
 * Prints what applying the files would change, as unified diffs. Exit code 0 when that is nothing, 1 when it is
 * something, 2 when it cannot be told.
 */
export async function diff(options: DiffOptions): Promise<void> {
  try {
    const read = readDocuments(options.file);
    const dry =
      read && (await sendDocuments(findServer(options), read.files, { ...options, dryRun: true }));
    const different = dry?.documents.filter(({ outcome }) => outcome !== "unchanged");
    for (const document of different ?? []) process.stdout.write(patchOf(document));
    process.exitCode = different ? Math.min(different.length, 1) : 2;
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}

function patchOf(document: SavedDocument): string {
  const { before = "", after = "", changes = [], outcome } = document;
  const title = titleOf(document);
  // Both sides of a secret look alike, and the server compares none: that one is written is said beside them.
  const secrets = changes
    .filter(({ secret }) => secret)
    .map(
      ({ path }) => `# ${path}: a secret is written; whether it is the stored one is not told\n`,
    );
  const patch = createTwoFilesPatch(
    outcome === "created" ? "/dev/null" : `server: ${title}`,
    outcome === "deleted" ? "/dev/null" : `files: ${title}`,
    before,
    after,
    undefined,
    undefined,
    { context: 3 },
  );
  // Without the line that the library draws over each.
  return `${secrets.join("")}${patch.slice(patch.indexOf("\n") + 1)}`;
}
