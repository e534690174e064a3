-- What hangs on an item stays when the item goes; what is shown in lists is read without what is configured, and changes
-- are counted without reading them.

alter table config_items drop constraint config_items_parent_id_fkey;
alter table config_items add foreign key (parent_id) references config_items (id)
  on delete set null deferrable initially deferred;

-- Of a large row only what is long is kept elsewhere. What is short would follow it there, type and labels first of all,
-- and be fetched from there for each row of a list.
alter table config_items set (toast_tuple_target = 1024),
  alter column external_id set storage main, alter column config_class set storage main,
  alter column type set storage main, alter column name set storage main, alter column description set storage main,
  alter column status set storage main, alter column health set storage main, alter column source set storage main,
  alter column labels set storage main, alter column tags set storage main, alter column path set storage main;
alter table config_changes set (toast_tuple_target = 1024),
  alter column external_change_id set storage main, alter column external_created_by set storage main,
  alter column change_type set storage main, alter column severity set storage main, alter column source set storage main,
  alter column summary set storage main, alter column fingerprint set storage main;
alter table config_analysis set (toast_tuple_target = 1024),
  alter column analyzer set storage main, alter column analysis_type set storage main,
  alter column severity set storage main, alter column status set storage main, alter column source set storage main,
  alter column summary set storage main;

drop index config_items_deleted_at_idx;
create index config_items_deleted on config_items (deleted_at) include (id) where deleted_at is not null;

drop index config_changes_created_at_idx;
create index config_changes_time on config_changes (created_at desc) include (config_id, change_type, severity);
