-- Changes are found by what indexes hold of them: those of an item by type and severity, and those that somebody made.
-- Sums of items carry the type of theirs, so that types are summed up without a look at the items.
create index config_changes_of_item on config_changes (config_id, created_at desc) include (change_type, severity);
drop index config_changes_config_id_created_at_idx;

create index config_changes_authored on config_changes (created_at desc)
  include (id, config_id, external_created_by, created_by)
  where external_created_by is not null or created_by is not null;

create index config_items_type_of on config_items (id) include (type) where deleted_at is null;

-- Written anew, and not updated: what is read whole would be twice as large.
create table config_change_sums_typed as
  select s.*, i.type from config_change_sums s left join config_items i on i.id = s.config_id;
-- What an earlier migration of the same upgrade wrote is checked first: it could not be emptied otherwise.
set constraints all immediate;
truncate config_change_sums;
alter table config_change_sums add column type text;
create index config_change_sums_untyped on config_change_sums (config_id) where type is null;
insert into config_change_sums (config_id, total, critical, high, medium, low, type)
  select config_id, total, critical, high, medium, low, type from config_change_sums_typed order by config_id;
drop table config_change_sums_typed;
