import { changeSeverities, insightSeverities } from "@mainstay/contract";
import type { AboutDeclaration } from "#platform/resource.ts";
import { searchable, searchedAs } from "#features/search/index.ts";
import { configItem } from "./resources.ts";

/** What can be searched of rows that are about items, in the language of docs/search.md. */

const aboutItem: AboutDeclaration = {
  column: "config_id",
  resource: configItem,
  called: "config",
  fields: {
    name: "name",
    config_type: "type",
    namespace: "namespace",
    agent: "agent_id",
    agent_id: "agent_id",
  },
};

/** Items as statements over changes call them. */
export const itemsOfChanges = searchedAs(searchable(configItem), "i");
/** Their tags, as statements over `config_tag_sets` call them. */
export const tagsOfChanges = searchedAs(searchable(configItem), "s");

/** Changes, called `c`. */
export const searchedChanges = searchable({
  kind: "config_changes",
  table: "c",
  name: "c.summary",
  read: "config_scrapers",
  search: {
    as: "changes",
    fields: {
      id: "id",
      config_id: "id",
      change_type: "text",
      source: "text",
      summary: "text",
      created_at: "date",
      first_observed: "date",
      count: "number",
    },
    aliases: { type: "change_type", first: "first_observed" },
    listed: { change_type: "change_types" },
    own: {
      text: { type: "anywhere", of: ["c.summary"] },
      severity: { type: "level", of: "c.severity", words: changeSeverities },
      by: { type: "author", id: "c.created_by", of: ["c.external_created_by"] },
      created_by: { type: "author", id: "c.created_by", of: ["c.external_created_by"] },
    },
    about: aboutItem,
  },
});

const insights = "config_analysis_items";
/** Insights, as `config_analysis_items` has them. */
export const searchedInsights = searchable({
  kind: "config_analysis",
  table: insights,
  name: `${insights}.summary`,
  read: "config_scrapers",
  search: {
    as: "insights",
    fields: {
      id: "id",
      config_id: "id",
      analysis_type: "text",
      analyzer: "text",
      status: "text",
      source: "text",
      summary: "text",
      message: "text",
      first_observed: "date",
      last_observed: "date",
    },
    aliases: { type: "analysis_type", first: "first_observed", last: "last_observed" },
    own: {
      text: {
        type: "anywhere",
        of: [`${insights}.summary`, `${insights}.message`, `${insights}.analyzer`],
      },
      severity: { type: "level", of: `${insights}.severity`, words: insightSeverities },
    },
    about: aboutItem,
  },
});
