import { Suspense } from "react";
import { loadDialog } from "@mainstay/ui/Dialog.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { paths } from "#lib/paths.ts";
import type { ListedKind } from "#lib/resources/queries.ts";
import { ResourceListPage } from "#lib/resources/ResourceListPage.tsx";
import { useUrlState } from "#lib/url-state.ts";
import { useAccess } from "#lib/use-access.ts";
import { integrationColumns, type ListedIntegration } from "./columns.tsx";

const AddIntegrationDialog = lazyPart(() => {
  loadDialog().catch(() => {});
  return import("./AddIntegrationDialog.tsx").then((module) => module.AddIntegrationDialog);
});

const codec = {
  parse: (raw: Record<string, string | undefined>) => ({ add: raw["addIntegration"] }),
  format: ({ add }: { add: string | undefined }) => ({ addIntegration: add }),
};

const listed: ListedKind<ListedIntegration> = {
  kind: "integration",
  view: "integrations_with_status",
  table: "config_scrapers",
  // When one runs and how it is labelled stands in its document.
  without: ["schedule", "labels"],
  creatorIs: "in columns",
  own: { columns: integrationColumns, tables: ["topologies", "logging_backends"] },
};

/** /settings/integrations: what brings things in, of all kinds. */
export function IntegrationsPage() {
  const [{ add }, change] = useUrlState(codec);
  const mayWrite = useAccess().may("write", "integrations");
  return (
    <ResourceListPage
      of={listed}
      title="Integrations"
      to={(id, row) => paths.integration(row.integration_type, id)}
      create={
        mayWrite ? { label: "Add integration", onCreate: () => change({ add: "pick" }) } : undefined
      }
      about="An integration brings things in from elsewhere: a scraper fills the catalog, a topology the components, a log backend the logs."
    >
      <Suspense>
        {add !== undefined && mayWrite && (
          <AddIntegrationDialog
            chosen={add}
            onChoose={(next) => change({ add: next })}
            onClose={() => change({ add: undefined })}
          />
        )}
      </Suspense>
    </ResourceListPage>
  );
}
