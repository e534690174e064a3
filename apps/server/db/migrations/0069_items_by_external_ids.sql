-- Items are found by their ids elsewhere however these are written: without an index each item was looked at.
create function lowered(texts text[]) returns text[] language sql immutable parallel safe as $$
  select array(select lower(one) from unnest(texts) one)
$$;
create index config_items_external_ids on config_items using gin (lowered(external_id));
