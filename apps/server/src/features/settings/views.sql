-- A property remembers when it was last changed.

create function touch_property() returns trigger
language plpgsql
as $$
begin
  new.updated_at := now();
  return new;
end
$$;

create trigger touch_property before update on properties
for each row when (old.* is distinct from new.* and new.deleted_at is null) execute function touch_property();

create trigger record_change after insert or update or delete on properties
for each row when (current_setting('mainstay.actor', true) <> '') execute function record_change('name', 'updated_at');

call announce_changes('properties', 'name');
