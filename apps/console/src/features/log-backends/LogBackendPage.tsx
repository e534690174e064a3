import { useParams } from "@tanstack/react-router";
import { EditorPage } from "#lib/documents/EditorPage.tsx";
import { paths } from "#lib/paths.ts";
import { logBackendKind } from "./log-backend-kind.ts";

/** /settings/logging-backends/{id}: the document of one. */
export function LogBackendPage() {
  const { logBackendId = "" } = useParams({ strict: false }) as { logBackendId?: string };
  return (
    <EditorPage
      kind={logBackendKind.name}
      id={logBackendId}
      to={(saved) => paths.logBackend(saved)}
      within={[{ label: "Settings" }]}
      list={{ label: "Log Backends", to: paths.logBackends() }}
    />
  );
}
