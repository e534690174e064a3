-- Most changes are for information: those that are more are found without them, and items by their type without the index
-- on texts.

create index config_changes_severe on config_changes (created_at desc) include (config_id, change_type, severity)
  where lower(coalesce(severity, 'info')) <> 'info';
create index config_items_type on config_items (type) include (id);
