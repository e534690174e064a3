import sql, { type Sql } from "sql-template-tag";
import { byIds, byOwners, type SnapshotPart } from "./part.ts";

const read = "config_scrapers";
/** Letters of one value; what is longer stands in the catalog. */
const longest = 65_536;
const whole = (column: Sql, as: Sql) =>
  sql`case when length(${column}::text) <= ${longest} then ${column} end as ${as}`;

export const items: SnapshotPart = {
  file: "config_items",
  title: "Items of the catalog",
  read,
  columns: [
    "id",
    "name",
    "type",
    "health",
    "status",
    "description",
    "labels",
    "tags",
    "properties",
    "config",
    "source",
    "external_id",
    "parent_id",
    "agent_id",
    "last_scraped_time",
    "created_at",
    "updated_at",
    "deleted_at",
    "delete_reason",
  ],
  shown: ["name", "type", "health", "status", "description", "deleted_at"],
  rows: (source) =>
    byIds(source, {
      ids: source.scope.itemIds,
      portion: 25,
      select: (ids) => sql`
        select id, name, type, health, status, description, labels, tags, properties,
               case when length(config::text) <= ${16 * longest} then config end as config, source, external_id,
               parent_id, agent_id, last_scraped_time, created_at, updated_at, deleted_at, delete_reason
          from config_items where id = any (${[...ids]}::uuid[])`,
    }),
};

export const changes: SnapshotPart = {
  file: "config_changes",
  title: "Changes",
  read,
  columns: [
    "id",
    "created_at",
    "config_id",
    "config_name",
    "change_type",
    "severity",
    "summary",
    "source",
    "diff",
    "details",
    "count",
    "first_observed",
    "created_by",
    "external_created_by",
    "external_change_id",
  ],
  shown: ["created_at", "config_name", "change_type", "severity", "summary"],
  rows: (source) =>
    byOwners(source, {
      owners: source.scope.itemIds,
      owner: "item",
      most: 10_000,
      portion: 200,
      matching: sql`from config_changes c where c.config_id = owner.id
                     and c.created_at >= ${source.range.start} and c.created_at < ${source.range.end}`,
      columns: sql`c.id, c.created_at, c.config_id, (select i.name from config_items i where i.id = c.config_id) as config_name,
                   c.change_type, c.severity, c.summary, c.source, left(c.diff, ${longest}) as diff,
                   ${whole(sql`c.details`, sql`details`)}, c.count, c.first_observed, c.created_by, c.external_created_by,
                   c.external_change_id`,
      time: sql`c.created_at`,
    }),
};

export const insights: SnapshotPart = {
  file: "config_analysis",
  title: "Insights",
  read,
  columns: [
    "id",
    "first_observed",
    "last_observed",
    "config_id",
    "config_name",
    "analyzer",
    "analysis_type",
    "severity",
    "status",
    "summary",
    "message",
    "analysis",
    "source",
  ],
  shown: ["config_name", "analyzer", "severity", "status", "summary", "last_observed"],
  rows: (source) =>
    byOwners(source, {
      owners: source.scope.itemIds,
      owner: "item",
      most: 10_000,
      portion: 200,
      // Those that were open at some time in the range.
      matching: sql`from config_analysis a where a.config_id = owner.id and a.first_observed < ${source.range.end}
                     and (a.status = 'open' or coalesce(a.last_observed, a.first_observed) >= ${source.range.start})`,
      columns: sql`a.id, a.first_observed, a.last_observed, a.config_id,
                   (select i.name from config_items i where i.id = a.config_id) as config_name, a.analyzer, a.analysis_type,
                   a.severity, a.status, left(a.summary, 10000) as summary, left(a.message, ${longest}) as message,
                   ${whole(sql`a.analysis`, sql`analysis`)}, a.source`,
      time: sql`coalesce(a.last_observed, a.first_observed)`,
    }),
};
