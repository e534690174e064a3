import { lazy, Suspense } from "react";
import { loadDialog } from "@mainstay/ui/Dialog.tsx";
import { paths } from "#lib/paths.ts";
import type { ListedKind } from "#lib/resources/queries.ts";
import { ResourceListPage } from "#lib/resources/ResourceListPage.tsx";
import { useUrlState } from "#lib/url-state.ts";
import { useAccess } from "#lib/use-access.ts";

const AddTopologyDialog = lazy(() => {
  loadDialog().catch(() => {});
  return import("./AddTopologyDialog.tsx").then((module) => ({
    default: module.AddTopologyDialog,
  }));
});

const codec = {
  parse: (raw: Record<string, string | undefined>) => ({ add: raw["addTopology"] === "true" }),
  format: ({ add }: { add: boolean }) => ({ addTopology: add ? "true" : undefined }),
};

const topologies: ListedKind = {
  kind: "topology",
  view: "topologies_with_status",
  without: [],
  table: "topologies",
};

/** /settings/topologies: where components come from. */
export function TopologiesPage() {
  const [{ add }, change] = useUrlState(codec);
  const mayWrite = useAccess().may("write", "topologies");
  return (
    <ResourceListPage
      of={topologies}
      title="Topologies"
      to={(id) => paths.topologyDocument(id)}
      create={
        mayWrite ? { label: "Add topology", onCreate: () => change({ add: true }) } : undefined
      }
      about="A topology is a document that says what a system is made of, and how that is found out."
    >
      <Suspense>
        {add && mayWrite && <AddTopologyDialog onClose={() => change({ add: false })} />}
      </Suspense>
    </ResourceListPage>
  );
}
