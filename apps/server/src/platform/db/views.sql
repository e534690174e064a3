-- What every feature's tables need: a line each in the feature's own views.sql.

-- `updated_at` follows changes of a row, or of the named columns only: not those of a row that is deleted, that belongs
-- to another agent, or that is being marked as handed on.
create function touch_updated_at() returns trigger language plpgsql as $$
begin
  -- A change of the key changes how secrets are written, and nothing that anybody has done.
  if current_setting('mainstay.keeps_times', true) = 'on' then return new; end if;
  new.updated_at := now();
  return new;
end $$;

create procedure keep_updated_at(of_table text, of_columns text[] default null) language plpgsql as $$
declare
  condition text := 'new.* is distinct from old.*';
  known constant text[] := array(
    select attname::text from pg_attribute
     where attrelid = format('public.%I', of_table)::regclass and attnum > 0 and not attisdropped);
begin
  if of_columns is not null then
    select format('(%s) is distinct from (%s)', string_agg(format('new.%I', name), ', '), string_agg(format('old.%I', name), ', '))
      into condition from unnest(of_columns) name;
  end if;
  if 'deleted_at' = any(known) then condition := condition || ' and new.deleted_at is null'; end if;
  if 'is_pushed' = any(known) then condition := condition || ' and new.is_pushed = old.is_pushed'; end if;
  if 'agent_id' = any(known) then
    condition := condition || ' and new.agent_id = ''00000000-0000-0000-0000-000000000000''';
  end if;
  execute format(
    'create trigger keep_updated_at before update on public.%I for each row when (%s) execute function touch_updated_at()',
    of_table, condition);
end $$;

-- The place where a row is kept stays: who writes somewhere else may not take it away, whatever they send.
create function refuse_other_source() returns trigger language plpgsql as $$
begin
  raise exception 'This row is kept in %: it stays there.', old.source using errcode = 'PT409';
end $$;

create procedure keep_source(of_table text) language plpgsql as $$
begin
  execute format(
    'create trigger keep_source before update on public.%I for each row when (new.source is distinct from old.source and old.deleted_at is null and coalesce(nullif(old.source::text, ''''), ''UI'') <> ''UI'') execute function refuse_other_source()',
    of_table);
end $$;

-- What was handed on to another instance and changes has to be handed on again. Comes after keep_updated_at, by its name.
create function forget_pushed() returns trigger language plpgsql as $$
begin
  new.is_pushed := false;
  return new;
end $$;

create procedure keep_is_pushed(of_table text) language plpgsql as $$
begin
  execute format(
    'create trigger reset_is_pushed before update on public.%I for each row when (new.is_pushed and old.is_pushed and new.* is distinct from old.*) execute function forget_pushed()',
    of_table);
end $$;

-- Days of the tables that features declare as divided by day (Feature.partitions): who runs the program may not make or
-- drop tables, and does so for these by the two functions.
create function make_partition(of_table text, day date) returns boolean
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  name constant text := of_table || to_char(day, '_YYYYMMDD');
  from_time constant timestamptz := day::timestamp at time zone 'UTC';
  to_time constant timestamptz := (day + 1)::timestamp at time zone 'UTC';
  time_column constant text := partition_column(of_table);
begin
  perform take_lock('partitions');
  -- Looked up in the table itself: what is cached of names may be from before the lock was waited for.
  if exists (select from pg_class where relname = name and relnamespace = 'public'::regnamespace) then return false; end if;
  -- Nobody may write a row of the day there between the moving and the attaching; that needs this lock anyway.
  execute format('lock table %I in access exclusive mode', of_table || '_default');
  execute format('create table %I (like %I including defaults including constraints)', name, of_table);
  execute format('with moved as (delete from %1$I where %3$I >= $1 and %3$I < $2 returning *) insert into %2$I select * from moved',
                 of_table || '_default', name, time_column) using from_time, to_time;
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', of_table, name, from_time, to_time);
  return true;
end
$$;

-- Only days that are over: nobody loses today's rows by it.
create function drop_partition(of_table text, partition text) returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform partition_column(of_table);
  if partition !~ ('^' || of_table || '_\d{8}$') then
    raise exception '% is not a day of %', partition, of_table;
  end if;
  if right(partition, 8) >= to_char(now() at time zone 'UTC' - interval '1 day', 'YYYYMMDD') then
    raise exception 'The day of % is not over yet', partition;
  end if;
  perform take_lock('partitions');
  execute format('drop table if exists %I', partition);
end
$$;

revoke execute on function make_partition(text, date), drop_partition(text, text) from public;
