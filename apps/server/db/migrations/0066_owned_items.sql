-- Whether an item says who answers for it is asked of all items at once, and stands in their configurations, too: which do is
-- a table of its own. Of 200,000 items it takes some seconds to fill, in which nobody writes any.
lock table config_items in share row exclusive mode;
create table config_item_owned as
  select i.id as config_id, exists (
     select from (
       select * from jsonb_each_text(case jsonb_typeof(i.labels) when 'object' then i.labels end)
       union all
       select * from jsonb_each_text(case jsonb_typeof(i.tags) when 'object' then i.tags end)
       union all
       select * from jsonb_each_text(
         case jsonb_typeof(i.config #> '{metadata,annotations}') when 'object' then i.config #> '{metadata,annotations}' end)
       union all
       select coalesce(p ->> 'name', p ->> 'label'), coalesce(p ->> 'text', p ->> 'value')
         from jsonb_array_elements(case jsonb_typeof(i.properties) when 'array' then i.properties end) p) said (key, value)
      where btrim(said.value) <> ''
        and regexp_replace(lower(regexp_replace(said.key, '^.*/', '')), '[^a-z]', '', 'g')
            in ('owner', 'ownedby', 'owners', 'team', 'ownerteam', 'teamname', 'maintainer')) as is_owned
    from config_items i order by i.id;
alter table config_item_owned
  alter column is_owned set not null,
  add primary key (config_id),
  add foreign key (config_id) references config_items (id) on delete cascade;
create index config_item_owned_not on config_item_owned (config_id) where not is_owned;
analyze config_item_owned;
