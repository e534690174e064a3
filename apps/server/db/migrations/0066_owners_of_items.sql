-- Who answers for items is asked of all of them at once, and stands in their configurations, too: so it is kept apart. Of
-- 200,000 items it takes some seconds to fill, in which nobody reads or writes any.
create function lowered(texts text[]) returns text[] language sql immutable parallel safe as $$
  select array(select lower(one) from unnest(texts) one)
$$;

lock table config_items in share row exclusive mode;
create table config_item_owners as
  select i.id as config_id, array(
     select btrim(left(said.value, 256)) as owner from (
       select * from jsonb_each_text(case jsonb_typeof(i.labels) when 'object' then i.labels end)
       union all
       select * from jsonb_each_text(case jsonb_typeof(i.tags) when 'object' then i.tags end)
       union all
       select * from jsonb_each_text(
         case jsonb_typeof(i.config #> '{metadata,annotations}') when 'object' then i.config #> '{metadata,annotations}' end)
       union all
       select coalesce(p ->> 'name', p ->> 'label'), coalesce(p ->> 'text', p ->> 'value')
         from jsonb_array_elements(case jsonb_typeof(i.properties) when 'array' then i.properties end) p) said (key, value)
      where btrim(left(said.value, 256)) <> ''
        and regexp_replace(lower(regexp_replace(said.key, '^.*/', '')), '[^a-z]', '', 'g')
            in ('owner', 'ownedby', 'owners', 'team', 'ownerteam', 'teamname', 'maintainer')
      limit 32) as owners
    from config_items i order by i.id;
alter table config_item_owners
  alter column owners set not null,
  add primary key (config_id),
  add foreign key (config_id) references config_items (id) on delete cascade;
create index config_item_owners_some on config_item_owners (config_id) where owners <> '{}';
create index config_item_owners_none on config_item_owners (config_id) where owners = '{}';
create index config_item_owners_lowered on config_item_owners using gin (lowered(owners));
analyze config_item_owners;
