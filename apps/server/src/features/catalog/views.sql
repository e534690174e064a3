create view configs as
  select id, scraper_id, config_class, external_id, type, name, tags ->> 'namespace' as namespace, description, source,
         labels, tags, created_by, created_at, updated_at, deleted_at, cost_per_minute, cost_total_1d, cost_total_7d,
         cost_total_30d, agent_id, status, health, ready, path
    from config_items;
