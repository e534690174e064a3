import type { ResourceDeclaration } from "#platform/resource.ts";

export const configItem: ResourceDeclaration = {
  kind: "configs",
  table: "config_items",
  read: "config_scrapers",
  namespace: "config_items.tags ->> 'namespace'",
  search: {
    as: "configs",
    fields: {
      id: "id",
      name: "text",
      agent_id: "agent",
      created_at: "date",
      updated_at: "date",
      deleted_at: "date",
      source: "text",
      type: "type",
      status: "text",
      health: "health",
      external_id: "texts",
      config_class: "text",
      scraper_id: "id",
      parent_id: "id",
      config: "json",
    },
    aliases: { config_type: "type" },
    icon: "config_items.icon",
    maps: ["labels", "tags"],
    hasProperties: true,
    hasFieldSelector: true,
    scope: { column: "scraper_id", table: "config_scrapers", called: "scraper" },
  },
};

export const configScraper: ResourceDeclaration = {
  kind: "config_scraper",
  table: "config_scrapers",
  read: "config_scrapers",
  namespace: "config_scrapers.namespace",
  search: {
    as: "scrapers",
    fields: {
      id: "id",
      name: "text",
      agent_id: "agent",
      created_at: "date",
      updated_at: "date",
      deleted_at: "date",
      namespace: "text",
      source: "text",
      spec: "json",
    },
    icon: "config_scrapers.spec ->> 'icon'",
    maps: ["labels"],
  },
};
