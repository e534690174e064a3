import type { StoredDocument } from "@mainstay/contract/documents/saved-documents.ts";

/** Documents as one file that can be applied again. */
export async function downloadDocuments(
  name: string,
  stored: readonly StoredDocument[],
): Promise<void> {
  const [{ documentsText }, { downloadText }] = await Promise.all([
    import("#lib/documents/document-text.ts"),
    import("@mainstay/ui/export/export-rows.ts"),
  ]);
  const text = documentsText(stored.map(({ document }) => document));
  downloadText(`${name.replaceAll(/[^\w.-]+/g, "-")}.yaml`, "application/yaml", text);
}
