-- Triggers of what logs are made of. Dropped and made again whenever this text changes.

call keep_updated_at('logging_backends', '{name, namespace, labels, annotations, spec, sealed}');
call keep_history('logging_backends', 'id', '{updated_at}');
call keep_source('logging_backends');
call seal_column('logging_backends', 'sealed');
call announce_changes('logging_backends', 'id');

-- A row that says no source is kept here.
create function keep_logging_backend_in_console() returns trigger language plpgsql as $$
begin
  new.source := 'UI';
  return new;
end $$;
create trigger keep_in_console before insert on logging_backends for each row
  when (new.source is null) execute function keep_logging_backend_in_console();

-- Lines are counted by whomever they are written: a server of an earlier version knows of no counts.
create function count_log_lines() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into log_counts (minute, level, lines)
    select date_bin('1 minute', time, 'epoch'), level, count(*) from written group by 1, 2;
  return null;
end $$;
create trigger count_log_lines after insert on log_lines
  referencing new table as written for each statement execute function count_log_lines();

-- A day of lines goes before its time when there is no room for it: any but today's, which others still write.
create function drop_log_day(partition text) returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  if partition !~ '^log_lines_\d{8}$' or right(partition, 8) >= to_char(now() at time zone 'UTC', 'YYYYMMDD') then
    raise exception '% is no day of lines that is over', partition;
  end if;
  perform take_lock('partitions');
  execute format('drop table if exists %I', partition);
  -- All lines of a day that has a table of its own are in it.
  delete from log_counts
   where minute >= to_date(right(partition, 8), 'YYYYMMDD')::timestamp at time zone 'UTC'
     and minute < (to_date(right(partition, 8), 'YYYYMMDD') + 1)::timestamp at time zone 'UTC';
end
$$;

revoke execute on function drop_log_day(text) from public;
