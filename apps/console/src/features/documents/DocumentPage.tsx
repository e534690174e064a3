import { useParams } from "@tanstack/react-router";
import { EditorPage } from "#lib/documents/EditorPage.tsx";
import { paths } from "#lib/paths.ts";

/** /settings/documents/{kind}/{id} */
export function DocumentPage() {
  const { kind = "", documentId = "" } = useParams({ strict: false });
  return (
    <EditorPage
      kind={kind}
      id={documentId}
      to={(saved) => paths.document(kind, saved)}
      within={[{ label: "Settings" }]}
      list={{ label: "Documents", to: paths.documents() }}
    />
  );
}
