import { Boxes } from "lucide-react";
import type { ConsoleDocumentKind } from "#lib/documents/document-kinds.ts";
import type { ConsoleFeature } from "#lib/page.ts";
import { paths, patterns } from "#lib/paths.ts";

/** What is read into the catalog, and when. */
const scraperKind: ConsoleDocumentKind = {
  kind: "ScrapeConfig",
  name: "scraper",
  label: "Scrapers",
  resource: "config_scrapers",
  feature: "settings.config_scraper",
  table: "config_scrapers",
  loadFormat: () =>
    import("@mainstay/contract/scrape-config/scrape-config-format.ts").then(
      (module) => module.scrapeConfigFormat,
    ),
  facts: [
    {
      id: "schedule",
      header: "Schedule",
      fields: ["schedule"],
      of: ({ schedule }) => (typeof schedule === "string" ? schedule : null),
    },
  ],
  deleting: "What it found leaves the catalog.",
};

export const catalog: ConsoleFeature = {
  name: "catalog",
  documents: [scraperKind],
  resources: [
    {
      kind: "configs",
      label: { one: "Item", many: "Catalog" },
      icon: Boxes,
      read: "config_scrapers",
      feature: "config",
      to: (id) => paths.catalogItem(id),
      search: {
        as: "configs",
        // Of the many types that there are the library has the marks.
        loadMarks: () => Promise.resolve({}),
      },
    },
  ],
  nav: [
    {
      label: "Catalog",
      to: patterns.catalog,
      icon: Boxes,
      read: "config_scrapers",
      feature: "config",
    },
  ],
  // Those whose address says more stand first.
  pages: [
    {
      path: patterns.catalog,
      title: "Catalog",
      access: "session",
      read: "config_scrapers",
      feature: "config",
      load: () => import("./items/CatalogPage.tsx").then((module) => module.CatalogPage),
    },
    {
      path: patterns.catalogChanges,
      title: "Catalog Changes",
      access: "session",
      read: "config_scrapers",
      feature: "config",
      load: () => import("./changes/ChangesPage.tsx").then((module) => module.ChangesPage),
    },
    {
      path: patterns.catalogItem,
      title: "Catalog",
      access: "session",
      read: "config_scrapers",
      feature: "config",
      load: () => import("./item/ItemPage.tsx").then((module) => module.ItemPage),
    },
    {
      path: patterns.catalogItemTab,
      partOf: patterns.catalogItem,
      title: "Catalog",
      access: "session",
      read: "config_scrapers",
      feature: "config",
      load: () => import("./item/ItemPage.tsx").then((module) => module.ItemPage),
    },
  ],
};
