import type { ParsedDocument } from "./parse-documents.ts";

/** Two documents of one kind that claim the same name, or the same id. */
export interface Twins<Document> {
  /** Which of the two comes later, and what it claims. */
  document: Document;
  twin: Document;
  path: "metadata.name" | "metadata.uid";
  claim: string;
}

type Named = Pick<ParsedDocument, "format" | "name" | "namespace" | "uid">;

/** What only shows when documents are seen beside each other. */
export function findTwins<Document extends Named>(
  documents: readonly Document[],
): Twins<Document>[] {
  const first = new Map<string, Document>();
  return documents.flatMap((document) => {
    const { name, namespace, uid, format } = document;
    const claims = [
      { path: "metadata.name", parts: [namespace, name] } as const,
      ...(uid === undefined ? [] : [{ path: "metadata.uid", parts: [uid] } as const]),
    ];
    return claims.flatMap(({ path, parts }) => {
      // Part by part: a name or a namespace may itself hold a slash.
      const key = JSON.stringify([format.kind, path, ...parts]);
      const twin = first.get(key);
      if (!twin) first.set(key, document);
      return twin ? [{ document, twin, path, claim: parts.join("/") }] : [];
    });
  });
}
