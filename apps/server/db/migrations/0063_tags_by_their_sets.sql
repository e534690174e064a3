-- Many items have the same tags: which sets of tags there are is few rows, and which item has which is small ones, so that
-- items are found and counted by their tags without a look at the items.
lock table config_items in share row exclusive mode;
create table config_item_tags as
  select id as config_id, md5(coalesce(tags::text, ''))::uuid as tag_set from config_items order by tag_set, id;
alter table config_item_tags
  alter column tag_set set not null,
  add primary key (config_id),
  add foreign key (config_id) references config_items (id) on delete cascade;
create index config_item_tags_set on config_item_tags (tag_set) include (config_id);

-- Nothing is unique, so that nobody waits for somebody who writes the same set; a job takes out what is there twice.
create table config_tag_sets as
  select distinct on (id) md5(coalesce(tags::text, ''))::uuid as id, tags from config_items order by id;
alter table config_tag_sets alter column id set not null;
create index on config_tag_sets (id);
create index on config_tag_sets using gin (tags jsonb_path_ops);

-- Types of sums that were written while their item became another type.
update config_change_sums s set type = i.type from config_items i where i.id = s.config_id and i.type is distinct from s.type;
