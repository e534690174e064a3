-- Says what has changed when a transaction commits. `mainstay_live` carries {"table", "ids", "verb", "columns"}: which rows
-- (without ids there were too many to name), whether they are new, changed or gone, and of changed ones, which columns
-- have. Without a verb nobody knows: rows of one table may be what another is made of.

-- The columns in which two states of a row differ.
create function changed_columns(was jsonb, is_now jsonb) returns text[] language sql immutable as $$
  select coalesce(array_agg(name order by name), '{}') from jsonb_object_keys(coalesce(is_now, was)) name
   where was -> name is distinct from is_now -> name
$$;

create procedure announce(of_table text, ids text[], verb text default null, columns text[] default null)
language plpgsql as $$
declare
  said text := json_strip_nulls(json_build_object('table', of_table, 'ids', ids, 'verb', verb, 'columns', columns))::text;
begin
  -- A notification holds less than 8000 bytes.
  if cardinality(ids) > 100 or octet_length(said) > 7000 then said := json_build_object('table', of_table)::text; end if;
  perform pg_notify('mainstay_live', said);
end $$;

-- Arguments: the column that names the rows, the name under which they are read, whether they are the rows of that table
-- themselves, columns whose change is none.
create function announce_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  key constant text := tg_argv[0];
  is_own constant boolean := tg_argv[2];
  leave_out constant text[] := tg_argv[3];
  ids text[];
  touched text[];
begin
  if tg_op <> 'UPDATE' then
    execute format('select array_agg(few.id) from (select distinct %I::text as id from changed limit 101) few', key)
       into ids;
    if ids is not null then call announce(tg_argv[1], ids, case when is_own then lower(tg_op) end); end if;
    return null;
  end if;
  -- A row that is named otherwise than before has gone from there, too.
  execute format('select array_agg(few.id) from (
      select %1$I::text as id from changed union select %1$I::text from was limit 101) few', key)
     into ids;
  if is_own and cardinality(ids) <= 100 then
    execute format(
      'select array_agg(pair.id), array_agg(distinct name)
         from (select coalesce(n.%1$I, o.%1$I)::text as id, changed_columns(to_jsonb(o) - $1, to_jsonb(n) - $1) as touched
                 from was o full join changed n on n.%1$I = o.%1$I) pair
         cross join unnest(pair.touched) name', key)
       into ids, touched using leave_out;
    select array_agg(distinct id) into ids from unnest(ids) id;
  end if;
  if ids is null then return null; end if;
  if key = any (touched) then call announce(tg_argv[1], ids);
  else call announce(tg_argv[1], ids, case when is_own then 'update' end, touched); end if;
  return null;
end $$;

-- Announces the changes of a table: `key` names its rows, `wire` is the name under which they are read when it is
-- another than the table's. What changes with every use, and is shown nowhere, is left out.
create procedure announce_changes(of_table text, key text, wire text default null, leave_out text[] default '{}')
language plpgsql as $$
declare
  part record;
  is_own constant boolean := wire is null and exists (
    select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
     where i.indrelid = of_table::regclass and i.indisprimary and i.indnkeyatts = 1 and a.attname = key);
begin
  for part in select * from (values ('insert', 'new table as changed'), ('update', 'old table as was new table as changed'),
                                    ('delete', 'old table as changed')) parts (verb, sides) loop
    execute format(
      'create trigger %I after %s on public.%I referencing %s for each statement execute function announce_change(%L, %L, %L, %L)',
      'announce_' || part.verb || '_of_' || coalesce(wire, of_table), part.verb, of_table, part.sides, key,
      coalesce(wire, of_table), is_own, leave_out);
  end loop;
end $$;
