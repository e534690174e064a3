import { StartupError } from "@mainstay/embedded-postgres";
import { patchOf } from "./document-patch.ts";
import { readGoodDocuments, type SendOptions, sendDocuments } from "./read-documents.ts";
import { findServer, type ServerFlags } from "./server-access.ts";

interface DiffOptions extends ServerFlags, Omit<SendOptions, "dryRun"> {
  file: string[];
}

/**
 * Prints what applying the files would change, as unified diffs. Exit code 0 when that is nothing, 1 when it is
 * something, 2 when it cannot be told of all of them.
 */
export async function diff(options: DiffOptions): Promise<void> {
  try {
    const read = readGoodDocuments(options.file);
    const dry =
      read.documents.length > 0
        ? await sendDocuments(findServer(options), read, { ...options, dryRun: true })
        : undefined;
    const different = dry?.documents.filter(({ outcome }) => outcome !== "unchanged");
    for (const document of different ?? []) process.stdout.write(patchOf(document));
    const isTold = different !== undefined && !dry?.isRefused && read.errors.length === 0;
    process.exitCode = isTold ? Math.min(different.length, 1) : 2;
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
