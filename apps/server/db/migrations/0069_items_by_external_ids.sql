-- Items are found by their ids elsewhere however these are written, and new ones by when they came: without an index each
-- item was looked at.
create index config_items_external_ids on config_items using gin (lowered(external_id));
create index config_items_created on config_items (created_at);
