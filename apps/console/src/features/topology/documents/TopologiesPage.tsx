import { Sparkles } from "lucide-react";
import { Suspense } from "react";
import { loadDialog } from "@mainstay/ui/Dialog.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { paths } from "#lib/paths.ts";
import type { ListedKind } from "#lib/resources/queries.ts";
import { ResourceListPage } from "#lib/resources/ResourceListPage.tsx";
import { useUrlState } from "#lib/url-state.ts";
import { keepDraft } from "#lib/use-draft.ts";
import { useAccess } from "#lib/use-access.ts";
import { proposedDraft } from "./proposed-draft.ts";

const AddTopologyDialog = lazyPart(() => {
  loadDialog().catch(() => {});
  return import("./AddTopologyDialog.tsx").then((module) => module.AddTopologyDialog);
});

const ProposeDialog = lazyPart(() => {
  loadDialog().catch(() => {});
  return import("../proposal/ProposeDialog.tsx").then((module) => module.ProposeDialog);
});

/** What is open above the list: a new document, one that was proposed, or the choice of what is proposed. */
type Open = "true" | "proposed" | "propose";
const opens: readonly string[] = ["true", "proposed", "propose"] satisfies readonly Open[];

const codec = {
  parse: ({ addTopology = "" }: Record<string, string | undefined>) => ({
    open: opens.includes(addTopology) ? (addTopology as Open) : undefined,
  }),
  format: ({ open }: { open: Open | undefined }) => ({ addTopology: open }),
};

const topologies: ListedKind = {
  kind: "topology",
  view: "topologies_with_status",
  without: [],
  table: "topologies",
};

/** /settings/topologies: where components come from. */
export function TopologiesPage() {
  const [{ open }, change] = useUrlState(codec);
  const access = useAccess();
  const mayWrite = access.may("write", "topologies");
  const mayPropose =
    mayWrite && access.gate({ read: "config_scrapers", feature: "config" }) === "open";
  const close = () => change({ open: undefined });
  return (
    <ResourceListPage
      of={topologies}
      title="Topologies"
      to={(id) => paths.topologyDocument(id)}
      create={
        mayWrite ? { label: "Add topology", onCreate: () => change({ open: "true" }) } : undefined
      }
      otherCreate={
        mayPropose
          ? {
              label: "Propose from the catalog",
              icon: <Sparkles size={16} strokeWidth={1.75} />,
              onCreate: () => change({ open: "propose" }),
            }
          : undefined
      }
      about="A topology is a document that says what a system is made of, and how that is found out."
    >
      <Suspense>
        {(open === "true" || open === "proposed") && mayWrite && (
          <AddTopologyDialog key={open} isProposed={open === "proposed"} onClose={close} />
        )}
        {open === "propose" && mayPropose && (
          <ProposeDialog
            onClose={close}
            onEdit={(document) => {
              keepDraft(proposedDraft, document);
              change({ open: "proposed" });
            }}
          />
        )}
      </Suspense>
    </ResourceListPage>
  );
}
