-- The changes of the last 30 days by item alone, in few bytes: what sums over all items reads these, and not those of
-- each type. What says no known severity is for information: what is none of the four.
create table config_change_sums (
  config_id uuid primary key references config_items (id) on delete cascade deferrable initially deferred,
  total int not null,
  critical int not null,
  high int not null,
  medium int not null,
  low int not null
) with (fillfactor = 80);
insert into config_change_sums
  select config_id, sum(total), coalesce(sum(total) filter (where lower(severity) = 'critical'), 0),
         coalesce(sum(total) filter (where lower(severity) = 'high'), 0),
         coalesce(sum(total) filter (where lower(severity) = 'medium'), 0),
         coalesce(sum(total) filter (where lower(severity) = 'low'), 0)
    from config_change_totals group by config_id;

-- All items are summed up without reading any of them.
create index config_items_summary on config_items (type, health)
  include (id, created_at, updated_at, cost_per_minute, cost_total_1d, cost_total_7d, cost_total_30d)
  where deleted_at is null;
create index config_items_updated on config_items (updated_at);
