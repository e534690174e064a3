-- Items are found by their class, status, source and properties, and the first three are listed, without a look at each
-- item. A name that is no field is looked for among the properties, so that a search with a slip in it took seconds.
create index config_items_class on config_items (config_class);
create index config_items_status on config_items (status);
create index config_items_source on config_items (source);

-- The names of properties, and names with the beginning of what they say.
create function property_words(properties jsonb) returns text[] language sql immutable parallel safe as $$
  select array(
    select word from (
      select lower(one ->> 'name') as name, lower(left(coalesce(one ->> 'text', one ->> 'value'), 256)) as said
        from jsonb_array_elements(case jsonb_typeof(properties) when 'array' then properties else '[]'::jsonb end) one) properties
      cross join lateral (values (name), (name || chr(10) || said)) words (word)
     where word is not null)
$$;
create index config_items_property_words on config_items using gin (property_words(properties));
