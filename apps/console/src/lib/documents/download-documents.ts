import type { StoredDocument } from "@mainstay/contract/documents/saved-documents.ts";
import { asFileName } from "@mainstay/ui/export/file-name.ts";

/** Documents as one file that can be applied again. */
export async function downloadDocuments(
  name: string,
  stored: readonly (StoredDocument & { text: string })[],
): Promise<void> {
  const [{ joinDocuments }, { downloadText }] = await Promise.all([
    import("@mainstay/contract/documents/document-texts.ts"),
    import("@mainstay/ui/export/export-rows.ts"),
  ]);
  const text = joinDocuments(stored.map(({ text: own }) => own));
  downloadText(`${asFileName(name)}.yaml`, "application/yaml", text);
}
