-- Most items have no properties: that there are no words among them is said at once, and nothing is begun and ended to find it
-- out. What is indexed stays the same.
create or replace function property_words(properties jsonb) returns text[] language plpgsql immutable parallel safe as $$
begin
  if jsonb_typeof(properties) is distinct from 'array' or properties = '[]' then return '{}'; end if;
  return array(
    select word from (
      select lower(one ->> 'name') as name, lower(left(coalesce(one ->> 'text', one ->> 'value'), 256)) as said
        from jsonb_array_elements(properties) one) properties
      cross join lateral (values (name), (name || chr(10) || said)) words (word)
     where word is not null);
end $$;
