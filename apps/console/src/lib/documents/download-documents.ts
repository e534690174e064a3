import type { StoredDocument } from "@mainstay/contract/documents/saved-documents.ts";

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
  downloadText(`${name.replaceAll(/[^\w.-]+/g, "-")}.yaml`, "application/yaml", text);
}
