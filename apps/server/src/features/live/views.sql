-- Says what has changed when a transaction commits. `mainstay_live` carries {"table", "ids"}; without ids there were
-- too many to name.

create function announce_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  key constant text := tg_argv[0];
  ids text[];
  said text;
begin
  execute format('select array_agg(few.id) from (select distinct %I::text as id from changed limit 101) few', key)
     into ids;
  if ids is null then return null; end if;
  said := json_build_object('table', tg_argv[1], 'ids', ids)::text;
  -- A notification holds less than 8000 bytes.
  if cardinality(ids) > 100 or octet_length(said) > 7000 then
    said := json_build_object('table', tg_argv[1])::text;
  end if;
  perform pg_notify('mainstay_live', said);
  return null;
end $$;

-- Announces the changes of a table: `key` names its rows, `wire` is the name under which they are read when it is
-- another than the table's.
create procedure announce_changes(of_table text, key text, wire text default null) language plpgsql as $$
declare
  part record;
begin
  for part in select * from (values ('insert', 'new'), ('update', 'new'), ('delete', 'old')) parts (verb, side) loop
    execute format(
      'create trigger %I after %s on public.%I referencing %s table as changed for each statement execute function announce_change(%L, %L)',
      'announce_' || part.verb || '_of_' || coalesce(wire, of_table), part.verb, of_table, part.side, key,
      coalesce(wire, of_table));
  end loop;
end $$;
