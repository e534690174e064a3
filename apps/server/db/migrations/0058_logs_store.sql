-- Lines of logs that were sent here, a partition a day. `nanos` is what the time has below a microsecond; `id` numbers
-- lines in the order in which they came, and tells equal moments apart.
create sequence log_lines_id;
create table log_lines (
  time timestamptz not null,
  nanos int2 not null default 0,
  level int2,
  length int4,
  id int8 not null default nextval('log_lines_id'),
  message text not null,
  labels jsonb not null default '{}'
) partition by range (time);
create table log_lines_default partition of log_lines default;
alter sequence log_lines_id owned by log_lines.id;

create index on log_lines (time, nanos, id);
-- What people look for among all that is said: warnings and worse.
create index on log_lines (time, nanos, id) where level >= 3;
create index on log_lines (id);
create index on log_lines using gin (message extensions.gin_trgm_ops);
create index on log_lines using gin (labels jsonb_path_ops);
