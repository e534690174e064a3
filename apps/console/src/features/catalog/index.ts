import { Boxes, Link2 } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { paths, patterns } from "#lib/paths.ts";
import { scraperKind } from "./scraper-kind.ts";

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
        hasStatus: true,
        // Of the many types that there are the library has the marks.
        loadMarks: () => Promise.resolve({}),
      },
    },
    {
      kind: "config_scraper",
      label: { one: "Scraper", many: "Scrapers" },
      icon: Boxes,
      read: "config_scrapers",
      feature: "settings.config_scraper",
      to: (id) => paths.catalogScraper(id),
      search: { as: "scrapers" },
    },
  ],
  contributes: {
    component: {
      actions: [
        {
          id: "link",
          label: "Link to catalog",
          icon: Link2,
          write: "topologies",
          feature: "config",
          loadDialog: () =>
            import("./component/LinkDialog.tsx").then((module) => module.LinkDialog),
        },
      ],
      panels: [
        {
          id: "catalog",
          title: "Catalog",
          order: 10,
          read: "config_scrapers",
          feature: "config",
          load: () => import("./component/CatalogPanel.tsx").then((module) => module.CatalogPanel),
        },
        {
          id: "changes",
          title: "Changes",
          order: 30,
          read: "config_scrapers",
          feature: "config",
          load: () => import("./component/ChangesPanel.tsx").then((module) => module.ChangesPanel),
        },
        {
          id: "insights",
          title: "Insights",
          order: 70,
          read: "config_scrapers",
          feature: "config",
          load: () =>
            import("./component/InsightsPanel.tsx").then((module) => module.InsightsPanel),
        },
      ],
    },
  },
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
      path: patterns.catalogInsights,
      title: "Catalog Insights",
      access: "session",
      read: "config_scrapers",
      feature: "config",
      load: () => import("./insights/InsightsPage.tsx").then((module) => module.InsightsPage),
    },
    {
      path: patterns.catalogScrapers,
      title: "Scrapers",
      access: "session",
      read: "config_scrapers",
      feature: "settings.config_scraper",
      load: () => import("./scrapers/ScrapersPage.tsx").then((module) => module.ScrapersPage),
    },
    {
      path: patterns.catalogScraper,
      title: "Scraper",
      access: "session",
      read: "config_scrapers",
      feature: "settings.config_scraper",
      load: () => import("./scrapers/ScraperPage.tsx").then((module) => module.ScraperPage),
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
