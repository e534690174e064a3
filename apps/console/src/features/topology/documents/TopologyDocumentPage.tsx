import { useParams } from "@tanstack/react-router";
import { EditorPage } from "#lib/documents/EditorPage.tsx";
import { paths } from "#lib/paths.ts";
import { topologyKind } from "../topology-kind.ts";
import { RunTopology } from "./RunTopology.tsx";

/** /settings/topologies/{id}: the document that components come from, and its runs. */
export function TopologyDocumentPage() {
  const { topologyId = "" } = useParams({ strict: false }) as { topologyId?: string };
  return (
    <EditorPage
      kind={topologyKind.name}
      id={topologyId}
      to={(saved) => paths.topologyDocument(saved)}
      within={[{ label: "Settings" }]}
      list={{ label: "Topologies", to: paths.topologies() }}
      renderActions={({ id, document }) => (
        <RunTopology key={id} id={id} name={document.metadata.name} />
      )}
    />
  );
}
