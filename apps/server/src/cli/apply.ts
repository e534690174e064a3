import { connectionFormat, type SavedDocument } from "@mainstay/contract";
import { type ConnectionUse, nameUses, readUses, whyNotDeleted } from "./connection-uses.ts";
import { patchOf } from "./document-patch.ts";
import { titleOf } from "./document-title.ts";
import { kindCalled } from "./document-kinds.ts";
import { readGoodDocuments, type SendOptions, sendDocuments } from "./read-documents.ts";
import { findServer, type ServerAccess, type ServerFlags } from "./server-access.ts";

interface ApplyOptions extends ServerFlags, SendOptions {
  file: string[];
  yes?: boolean;
}

/**
 * Creates or updates what the files define, all of it or nothing, whichever file is bad. Exit code 2 when one is, 1 when
 * a connection would be pruned that something uses. A dry run prints what differs, of the good ones also when others
 * are bad.
 */
export async function apply(options: ApplyOptions): Promise<void> {
  const read = readGoodDocuments(options.file);
  const isBad = read.errors.length > 0;
  if (isBad && (options.dryRun !== true || read.documents.length === 0)) {
    process.exitCode = 2;
    return;
  }
  const access = findServer(options);
  const send = (more: SendOptions = {}) => sendDocuments(access, read, { ...options, ...more });
  if (options.prune === true && options.yes !== true && options.dryRun !== true) {
    const planned = await send({ dryRun: true });
    if (!planned || planned.isRefused) {
      process.exitCode = 2;
      return;
    }
    if (await namePruned(access, planned.documents)) {
      console.error(whyNotDeleted);
      process.exitCode = 1;
      return;
    }
  }
  const applied = await send();
  if (!applied) {
    process.exitCode = 2;
    return;
  }
  for (const document of applied.documents) {
    const differs = applied.dryRun && document.outcome !== "unchanged";
    if (differs) process.stdout.write(patchOf(document));
    console.log(`${titleOf(document)} ${document.outcome}${applied.dryRun ? " (dry run)" : ""}`);
  }
  if (applied.dryRun) await namePruned(access, applied.documents);
  if (isBad || applied.isRefused) process.exitCode = 2;
}

/** Whether connections that would be pruned are used by what stays; it is said. */
async function namePruned(
  access: ServerAccess,
  documents: readonly SavedDocument[],
): Promise<boolean> {
  const gone = documents.filter(({ outcome }) => outcome === "deleted");
  let isUsed = false;
  for (const { kind, id, namespace, name } of gone) {
    if (kind !== connectionFormat.kind || id === undefined) continue;
    const remains = (use: ConnectionUse) => {
      const same = documents.find(
        (one) =>
          kindCalled(one.kind).name === use.kind &&
          one.namespace === use.namespace &&
          one.name === use.name,
      );
      if (same?.outcome === "deleted") return false;
      // What is applied with it may name it no more.
      const { after } = same ?? {};
      const references = [`/${name}`, `/${encodeURIComponent(name)}`, id];
      return after === undefined || references.some((one) => after.includes(one));
    };
    const uses = (await readUses(access, id)).filter(remains);
    if (nameUses(`${namespace}/${name}`, uses)) isUsed = true;
  }
  return isUsed;
}
