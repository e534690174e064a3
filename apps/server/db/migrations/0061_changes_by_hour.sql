-- How many changes there are in a range of time is read from counts of its hours, and not from the changes themselves.
-- Rows are added up: every statement that writes changes adds its own, and a job makes one of those of an hour.
create table config_change_hours (
  hour timestamptz not null,
  change_type text,
  severity text,
  total int not null,
  is_summed boolean not null default false
);
insert into config_change_hours (hour, change_type, severity, total, is_summed)
  select date_trunc('hour', created_at, 'UTC'), change_type, severity, count(*), true
    from config_changes group by 1, 2, 3 order by 1;
create index config_change_hours_hour on config_change_hours (hour) include (change_type, severity, total);
create index config_change_hours_loose on config_change_hours (hour) where not is_summed;
