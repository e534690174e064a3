import { useParams } from "@tanstack/react-router";
import { EditorPage } from "#lib/documents/EditorPage.tsx";
import { paths } from "#lib/paths.ts";
import { canaryKind } from "../canary-kind.ts";

/** /settings/canaries/{id}: the document that checks come from. */
export function CanaryPage() {
  const { canaryId = "" } = useParams({ strict: false });
  return (
    <EditorPage
      kind={canaryKind.name}
      id={canaryId}
      to={paths.canary}
      within={[{ label: "Settings" }]}
      list={{ label: "Health Checks", to: paths.canaries() }}
      alsoFrom={[paths.health()]}
    />
  );
}
