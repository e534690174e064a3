import { Suspense } from "react";
import { loadDialog } from "@mainstay/ui/Dialog.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { paths } from "#lib/paths.ts";
import type { ListedKind } from "#lib/resources/queries.ts";
import { ResourceListPage } from "#lib/resources/ResourceListPage.tsx";
import { useUrlState } from "#lib/url-state.ts";
import { useAccess } from "#lib/use-access.ts";
import { CatalogTabs } from "../shared/CatalogTabs.tsx";
import { type ListedScraper, scraperColumns, typesOf } from "./columns.tsx";

const AddScraperDialog = lazyPart(() => {
  loadDialog().catch(() => {});
  return import("./editor/AddScraperDialog.tsx").then((module) => module.AddScraperDialog);
});

const codec = {
  parse: (raw: Record<string, string | undefined>) => ({ add: raw["addScraper"] === "true" }),
  format: ({ add }: { add: boolean }) => ({ addScraper: add ? "true" : undefined }),
};

const scrapers: ListedKind<ListedScraper> = {
  kind: "config_scraper",
  view: "config_scrapers_with_status",
  table: "config_scrapers",
  // When one runs stands in its spec.
  without: ["schedule"],
  startsHidden: ["labels", "updated_at", "created_by"],
  iconOf: (row) => typesOf(row)[0],
  own: { columns: scraperColumns },
};

/** /catalog/scrapers: where items come from. */
export function ScrapersPage() {
  const [{ add }, change] = useUrlState(codec);
  const mayWrite = useAccess().may("write", "config_scrapers");
  return (
    <ResourceListPage
      of={scrapers}
      title="Scrapers"
      within={[{ label: "Catalog", to: paths.catalog() }]}
      tabs={<CatalogTabs selected="scrapers" />}
      to={(id) => paths.catalogScraper(id)}
      create={
        mayWrite ? { label: "Add scraper", onCreate: () => change({ add: true }) } : undefined
      }
      about="A scraper is a document that says what is read into the catalog, and when: this machine, a cluster, files, rows."
    >
      <Suspense>
        {add && mayWrite && <AddScraperDialog onClose={() => change({ add: false })} />}
      </Suspense>
    </ResourceListPage>
  );
}
