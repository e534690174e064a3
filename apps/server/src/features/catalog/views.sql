-- Triggers, functions and read models of the catalog. Dropped and made again whenever this text changes.

call keep_updated_at('config_scrapers');
call keep_is_pushed('config_scrapers');
call keep_history('config_scrapers', 'id', '{updated_at}');
call keep_source('config_scrapers');
call seal_column('config_scrapers', 'sealed');

-- A row that says no source is kept here.
create function keep_in_console() returns trigger language plpgsql as $$
begin
  new.source := 'UI';
  return new;
end $$;
create trigger keep_in_console before insert on config_scrapers for each row
  when (new.source is null) execute function keep_in_console();

call announce_changes('config_scrapers', 'id');

-- What a scraper found goes with it: its items are no longer there, and come back with their ids when it does.
create function scrapers_soft_deleted() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update config_items i set deleted_at = n.deleted_at, delete_reason = 'SCRAPER_DELETED'
    from was o join changed n using (id)
   where o.deleted_at is null and n.deleted_at is not null and i.scraper_id = n.id and i.deleted_at is null;
  return null;
end $$;
create trigger scrapers_soft_deleted after update on config_scrapers
  referencing old table as was new table as changed for each statement execute function scrapers_soft_deleted();

call keep_updated_at('config_items', '{config}');
call keep_is_pushed('config_items');
call keep_is_pushed('config_relationships');
call keep_is_pushed('config_changes');
call keep_is_pushed('config_analysis');
call keep_is_pushed('config_component_relationships');
call keep_history('config_component_relationships', 'config_id', '{updated_at}');

create function name_config_item() returns trigger language plpgsql as $$
begin
  new.name := right(new.id::text, 12);
  return new;
end $$;
create trigger name_config_item before insert on config_items for each row
  when (coalesce(new.name, '') = '') execute function name_config_item();

-- A parent is a relationship like any other, and the only one that is called hard.
create function relate_to_parents() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  moved uuid[];
  befores uuid[];
  afters uuid[];
begin
  if tg_op = 'UPDATE' then
    -- Planned each time, by how many rows there are: a plan that was made for one would try each row with each.
    execute 'select array_agg(n.id), array_agg(o.parent_id), array_agg(n.parent_id)
               from changed n join was o using (id) where n.parent_id is distinct from o.parent_id'
      into moved, befores, afters;
    if moved is null then return null; end if;
    delete from config_relationships r using unnest(moved, befores) m (id, parent_id)
     where r.related_id = m.id and r.config_id = m.parent_id and r.relation = 'hard';
    insert into config_relationships (config_id, related_id, relation)
      select m.parent_id, m.id, 'hard' from unnest(moved, afters) m (id, parent_id)
       where m.parent_id is not null
       order by m.id
      on conflict (related_id, config_id, relation) do update set deleted_at = null, updated_at = now()
        where config_relationships.deleted_at is not null;
  else
    insert into config_relationships (config_id, related_id, relation)
      select parent_id, id, 'hard' from changed where parent_id is not null order by id
      on conflict (related_id, config_id, relation) do nothing;
  end if;
  return null;
end $$;
create trigger relate_new_to_parents after insert on config_items
  referencing new table as changed for each statement execute function relate_to_parents();
create trigger relate_to_parents after update on config_items
  referencing old table as was new table as changed for each statement execute function relate_to_parents();

-- What becomes of items is told, and only what becomes of them: that an item was seen again is not.
create function state_of_item(id uuid, status text, description text) returns jsonb language sql immutable as $$
  select jsonb_build_object('id', id, 'status', status, 'description', description)
$$;

create function tell_of_items() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    perform raise_events('config.created', array(select jsonb_build_object('id', id) from changed));
    perform raise_events('config.warning', array(select state_of_item(id, status, description) from changed where health = 'warning'));
    perform raise_events('config.unhealthy', array(select state_of_item(id, status, description) from changed where health = 'unhealthy'));
  else
    perform raise_events('config.deleted', array(
      select jsonb_build_object('id', n.id)
        from changed n join was o using (id) where o.deleted_at is null and n.deleted_at is not null));
    -- Counted, and not asked whether there is one: for one the database would try each row with each.
    if (select count(*) from changed n join was o using (id) where n.health is distinct from o.health) = 0 then return null; end if;
    perform raise_events('config.healthy', array(
      select state_of_item(n.id, n.status, n.description)
        from changed n join was o using (id) where n.health is distinct from o.health and n.health = 'healthy'));
    perform raise_events('config.warning', array(
      select state_of_item(n.id, n.status, n.description)
        from changed n join was o using (id) where n.health is distinct from o.health and n.health = 'warning'));
    perform raise_events('config.unhealthy', array(
      select state_of_item(n.id, n.status, n.description)
        from changed n join was o using (id) where n.health is distinct from o.health and n.health = 'unhealthy'));
    perform raise_events('config.unknown', array(
      select state_of_item(n.id, n.status, n.description)
        from changed n join was o using (id)
       where n.health is distinct from o.health and coalesce(n.health, '') not in ('healthy', 'warning', 'unhealthy')));
  end if;
  return null;
end $$;
create trigger tell_of_new_items after insert on config_items
  referencing new table as changed for each statement execute function tell_of_items();
create trigger tell_of_items after update on config_items
  referencing old table as was new table as changed for each statement execute function tell_of_items();

call keep_history('config_notes', 'id', '{updated_at}');
call announce_changes('config_notes', 'config_id');
call announce_changes('config_items', 'id');
call announce_changes('config_changes', 'config_id');
call announce_changes('config_analysis', 'config_id');
call announce_changes('config_relationships', 'config_id');
call announce_changes('config_component_relationships', 'config_id');

-- Which tags and labels there are, and how many items and how many deleted ones have them. What is longer is nothing to choose
-- from a list.
create function count_facets() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  counted constant text := $sql$
    select e.kind, p.key, p.value, i.deleted_at is not null as is_deleted, %s::int as n
      from %I i
     cross join lateral (values ('tag', i.tags), ('label', i.labels)) e (kind, pairs)
     cross join lateral jsonb_each_text(case when jsonb_typeof(e.pairs) = 'object' then e.pairs else '{}' end) p
     where length(p.key) <= 128 and length(p.value) <= 400 $sql$;
  sides text := '';
begin
  if tg_op = 'UPDATE' then
    sides := format(counted, '1', 'changed') || ' and exists (select from was o where o.id = i.id and
                 (o.tags, o.labels, o.deleted_at is null) is distinct from (i.tags, i.labels, i.deleted_at is null)) union all '
          || format(counted, '-1', 'was') || ' and exists (select from changed n where n.id = i.id and
                 (n.tags, n.labels, n.deleted_at is null) is distinct from (i.tags, i.labels, i.deleted_at is null))';
  else
    sides := format(counted, case tg_op when 'INSERT' then '1' else '-1' end, 'changed');
  end if;
  execute 'insert into config_facets (kind, key, value, items, deleted)
             select kind, key, value, coalesce(sum(n) filter (where not is_deleted), 0), coalesce(sum(n) filter (where is_deleted), 0)
               from (' || sides || ') counted
              group by kind, key, value
             having sum(n) filter (where not is_deleted) <> 0 or sum(n) filter (where is_deleted) <> 0
              order by kind, key, value
           on conflict (kind, key, value) do update
             set items = config_facets.items + excluded.items, deleted = config_facets.deleted + excluded.deleted';
  return null;
end $$;
create trigger count_new_facets after insert on config_items
  referencing new table as changed for each statement execute function count_facets();
create trigger count_facets after update on config_items
  referencing old table as was new table as changed for each statement execute function count_facets();
create trigger count_gone_facets after delete on config_items
  referencing old table as changed for each statement execute function count_facets();

create view config_tags as select key, value, items from config_facets where kind = 'tag' and items > 0;
create view config_labels as select key, value, items from config_facets where kind = 'label' and items > 0;
-- As searches look up how one is written, that of deleted items, too.
create view config_tag_spellings as select key, value from config_facets where kind = 'tag';
create view config_label_spellings as select key, value from config_facets where kind = 'label';

-- Which item has which set of tags. That there is such a set is looked up by who is about to write it, in one statement that
-- waits for who takes out what nobody has (`drop_unused_tag_sets`) before it looks.
create function tag_set_of(tags jsonb) returns uuid language sql immutable as $$ select md5(coalesce(tags::text, ''))::uuid $$;

create function keep_tag_sets() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into config_tag_sets (id, tags)
    select distinct on (tag_set_of(tags)) tag_set_of(tags), tags from changed n
     where not exists (select from config_tag_sets s where s.id = tag_set_of(n.tags));
  insert into config_item_tags (config_id, tag_set) select id, tag_set_of(tags) from changed;
  return null;
end $$;
create trigger keep_tag_sets after insert on config_items
  referencing new table as changed for each statement execute function keep_tag_sets();

create function keep_changed_tag_set() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  its_set constant uuid := tag_set_of(new.tags);
begin
  insert into config_tag_sets (id, tags)
    select its_set, new.tags where not exists (select from config_tag_sets s where s.id = its_set);
  update config_item_tags set tag_set = its_set where config_id = new.id;
  return null;
end $$;
create trigger keep_changed_tag_set after update of tags on config_items for each row
  when (new.tags is distinct from old.tags) execute function keep_changed_tag_set();

-- Takes out so many sets of tags that no item has any more, and all but one of those that two have written at the same time;
-- how many it took. Who writes items waits meanwhile.
create function drop_unused_tag_sets(most int) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  many bigint;
begin
  lock table config_tag_sets in share row exclusive mode;
  delete from config_tag_sets where ctid = any (array(
    select s.ctid from config_tag_sets s
     where not exists (select from config_item_tags t where t.tag_set = s.id)
        or exists (select from config_tag_sets o where o.id = s.id and o.ctid < s.ctid)
     limit most));
  get diagnostics many = row_count;
  return many;
end $$;

-- Who answers for an item: what stands in a label, tag, annotation or property whose key ends in such a word (`ownerKeys` of
-- the contract), without what separates its parts: `example.com/owned-by` is one. What is longer than an index holds is cut.
-- Other words need a migration that fills `config_item_owners` anew.
create function said_of_owners(labels jsonb, tags jsonb, config jsonb, properties jsonb) returns table (owner text) language sql immutable as $$
  select btrim(left(said.value, 256)) from (
    select * from jsonb_each_text(case jsonb_typeof(labels) when 'object' then labels end)
    union all
    select * from jsonb_each_text(case jsonb_typeof(tags) when 'object' then tags end)
    union all
    select * from jsonb_each_text(
      case jsonb_typeof(config #> '{metadata,annotations}') when 'object' then config #> '{metadata,annotations}' end)
    union all
    select coalesce(p ->> 'name', p ->> 'label'), coalesce(p ->> 'text', p ->> 'value')
      from jsonb_array_elements(case jsonb_typeof(properties) when 'array' then properties end) p) said (key, value)
   where btrim(left(said.value, 256)) <> ''
     and regexp_replace(lower(regexp_replace(said.key, '^.*/', '')), '[^a-z]', '', 'g')
         in ('owner', 'ownedby', 'owners', 'team', 'ownerteam', 'teamname', 'maintainer')
   limit 32
$$;
create function owners_of(labels jsonb, tags jsonb, config jsonb, properties jsonb) returns text[] language sql immutable as $$
  select array(select owner from said_of_owners(labels, tags, config, properties))
$$;

create function keep_owners() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Not by `owners_of`, which would be begun and ended for each of them; this is part of the statement.
  insert into config_item_owners (config_id, owners)
    select id, array(select owner from said_of_owners(labels, tags, config, properties)) from changed;
  return null;
end $$;
create trigger keep_owners after insert on config_items
  referencing new table as changed for each statement execute function keep_owners();

create function keep_changed_owners() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  its_owners constant text[] := owners_of(new.labels, new.tags, new.config, new.properties);
begin
  insert into config_item_owners as o (config_id, owners) values (new.id, its_owners)
    on conflict (config_id) do update set owners = excluded.owners where o.owners <> excluded.owners;
  return null;
end $$;
create trigger keep_changed_owners after update of labels, tags, config, properties on config_items for each row
  when ((new.labels, new.tags, new.properties, new.config #> '{metadata,annotations}')
        is distinct from (old.labels, old.tags, old.properties, old.config #> '{metadata,annotations}'))
  execute function keep_changed_owners();

-- Writes where items, and what stands under them, stand (`path`), once their parents are known. An item that would stand
-- under itself loses its parent, and is returned.
create function place_config_items(ids uuid[]) returns table (name text, type text)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  return query
    with recursive up as (
      select i.id as start, i.parent_id as at, 1 as depth from config_items i where i.id = any(ids) and i.parent_id is not null
      union all
      select up.start, p.parent_id, up.depth + 1 from up join config_items p on p.id = up.at
       where up.at <> up.start and up.depth < 64 and p.parent_id is not null
    )
    update config_items i set parent_id = null where i.id in (select start from up where at = start)
    returning i.name, i.type;
  with recursive down as (
    select id from unnest(ids) id
    union
    select c.id from down join config_items c on c.parent_id = down.id
  )
  update config_items i set path = w.path
    from down
   cross join lateral (
     with recursive up as (
       select o.parent_id as at, 1 as depth from config_items o where o.id = down.id
       union all
       select p.parent_id, up.depth + 1 from up join config_items p on p.id = up.at where up.depth < 64
     )
     select coalesce(string_agg(at::text, '.' order by depth desc), '') as path from up where at is not null) w
   where i.id = down.id and i.path is distinct from w.path;
end $$;

-- Changes of the last 30 days, by item, type and severity, and by item alone. The window is held still while changes are
-- counted into it.
create function count_changes() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  since constant timestamptz := (select w.since from config_change_window w for share);
  counted constant text := $sql$
    select config_id, coalesce(change_type, '') as change_type, coalesce(severity, 'info') as severity, %s::int as n
      from %I where created_at > $1 $sql$;
  sides text := '';
begin
  if tg_op <> 'DELETE' then sides := format(counted, '1', 'changed'); end if;
  if tg_op = 'UPDATE' then sides := sides || ' union all '; end if;
  if tg_op <> 'INSERT' then sides := sides || format(counted, '-1', 'was'); end if;
  execute 'with counted as materialized (
             select config_id, change_type, severity, sum(n) as n from (' || sides || ') counted
              group by config_id, change_type, severity having sum(n) <> 0
           ), totals as (
             insert into config_change_totals (config_id, change_type, severity, total)
               select config_id, change_type, severity, n from counted order by config_id, change_type, severity
             on conflict (config_id, change_type, severity) do update set total = config_change_totals.total + excluded.total
           )
           insert into config_change_sums as s (config_id, total, critical, high, medium, low)
             select config_id, sum(n), coalesce(sum(n) filter (where lower(severity) = ''critical''), 0),
                    coalesce(sum(n) filter (where lower(severity) = ''high''), 0),
                    coalesce(sum(n) filter (where lower(severity) = ''medium''), 0),
                    coalesce(sum(n) filter (where lower(severity) = ''low''), 0)
               from counted group by config_id order by config_id
           on conflict (config_id) do update
             set total = s.total + excluded.total, critical = s.critical + excluded.critical, high = s.high + excluded.high,
                 medium = s.medium + excluded.medium, low = s.low + excluded.low'
    using since;
  return null;
end $$;
create trigger count_new_changes after insert on config_changes
  referencing new table as changed for each statement execute function count_changes();
create trigger count_changes after update on config_changes
  referencing old table as was new table as changed for each statement execute function count_changes();
create trigger count_gone_changes after delete on config_changes
  referencing old table as was for each statement execute function count_changes();

-- Sums of an item come without its type: whoever writes its changes may not see yet that it is becoming another. A job
-- adds it; until then whoever reads them looks it up.
create function sums_follow_type() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update config_change_sums set type = new.type where config_id = new.id;
  return null;
end $$;
create trigger sums_follow_type after update of type on config_items for each row
  when (new.type is distinct from old.type) execute function sums_follow_type();

-- Whoever is changing a type right now may not see the sums that somebody else has just written: such an item is left for
-- the next time.
create function type_change_sums() returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  many bigint;
begin
  with untyped as materialized (
    select s.config_id, i.type from config_change_sums s join config_items i on i.id = s.config_id
     where s.type is null order by s.config_id limit 10000
       for update of s skip locked for share of i skip locked
  )
  update config_change_sums s set type = u.type from untyped u where s.config_id = u.config_id;
  get diagnostics many = row_count;
  return many;
end $$;

-- Takes out of the totals what is older than 30 days by now; how many changes that were.
create function slide_change_window() returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  was constant timestamptz := (select since from config_change_window for update);
  is_now constant timestamptz := now() - interval '30 days';
  gone bigint;
begin
  if is_now <= was then return 0; end if;
  with over as (
    select config_id, coalesce(change_type, '') as change_type, coalesce(severity, 'info') as severity, count(*) as n
      from config_changes where created_at > was and created_at <= is_now
     group by 1, 2, 3 order by 1, 2, 3
  ), emptied as (
    delete from config_change_totals t using over o
     where t.config_id = o.config_id and t.change_type = o.change_type and t.severity = o.severity and t.total <= o.n
  ), taken as (
    update config_change_totals t set total = t.total - o.n from over o
     where t.config_id = o.config_id and t.change_type = o.change_type and t.severity = o.severity and t.total > o.n
  ), summed as (
    update config_change_sums s
       set total = s.total - o.total, critical = s.critical - o.critical, high = s.high - o.high,
           medium = s.medium - o.medium, low = s.low - o.low
      from (select config_id, sum(n) as total, coalesce(sum(n) filter (where lower(severity) = 'critical'), 0) as critical,
                   coalesce(sum(n) filter (where lower(severity) = 'high'), 0) as high,
                   coalesce(sum(n) filter (where lower(severity) = 'medium'), 0) as medium,
                   coalesce(sum(n) filter (where lower(severity) = 'low'), 0) as low
              from over group by config_id) o
     where s.config_id = o.config_id
  )
  select coalesce(sum(n), 0) into gone from over;
  update config_change_window set since = is_now;
  return gone;
end $$;

-- Changes of all time by the hour, type and severity. What was written is added as rows of its own and nothing is updated,
-- so that nobody waits for anybody; what was taken away is less than nothing.
create function count_changes_by_hour() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into config_change_hours (hour, change_type, severity, total)
      select date_trunc('hour', created_at, 'UTC'), change_type, severity, count(*) from changed group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into config_change_hours (hour, change_type, severity, total)
      select date_trunc('hour', created_at, 'UTC'), change_type, severity, -count(*) from was group by 1, 2, 3;
  else
    insert into config_change_hours (hour, change_type, severity, total)
      select date_trunc('hour', created_at, 'UTC'), change_type, severity, sum(n)
        from (select created_at, change_type, severity, 1 as n from changed
              union all select created_at, change_type, severity, -1 from was) counted
       group by 1, 2, 3 having sum(n) <> 0;
  end if;
  return null;
end $$;
create trigger count_new_changes_by_hour after insert on config_changes
  referencing new table as changed for each statement execute function count_changes_by_hour();
create trigger count_changes_by_hour after update on config_changes
  referencing old table as was new table as changed for each statement execute function count_changes_by_hour();
create trigger count_gone_changes_by_hour after delete on config_changes
  referencing old table as was for each statement execute function count_changes_by_hour();

-- Makes one row of those of each hour, type and severity to which something was added; how many it took. Two at a time
-- take different ones.
create function sum_change_hours() returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  many bigint;
begin
  with loose as materialized (
    select distinct hour from config_change_hours where not is_summed
  ), taken as (
    delete from config_change_hours h using loose where h.hour = loose.hour
    returning h.hour, h.change_type, h.severity, h.total
  ), summed as (
    insert into config_change_hours (hour, change_type, severity, total, is_summed)
      select hour, change_type, severity, sum(total), true from taken group by 1, 2, 3 having sum(total) <> 0
  )
  select count(*) into many from taken;
  return many;
end $$;

create function tell_of_changes() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform raise_events('config.updated', array(
    select jsonb_build_object('id', config_id, 'change_id', id) from changed where change_type = 'diff'));
  perform raise_events('config.changed', array(
    select jsonb_build_object('id', config_id, 'change_id', id) from changed where change_type is distinct from 'diff'));
  return null;
end $$;
create trigger tell_of_new_changes after insert on config_changes
  referencing new table as changed for each statement execute function tell_of_changes();
create trigger tell_of_changes after update on config_changes
  referencing new table as changed for each statement execute function tell_of_changes();

-- Where an item stands. Names and addresses of what hangs on it are those of the tables.

create view configs as
  select id, scraper_id, config_class, external_id, type, name, tags ->> 'namespace' as namespace, description, source,
         labels, tags, created_by, created_at, updated_at, deleted_at, cost_per_minute, cost_total_1d, cost_total_7d,
         cost_total_30d, agent_id, status, health, ready, path,
         (select jsonb_agg(jsonb_build_object('change_type', t.change_type, 'severity', t.severity, 'total', t.total)
                           order by t.total desc, t.change_type, t.severity)
            from config_change_totals t where t.config_id = config_items.id and t.total > 0) as changes,
         (select jsonb_object_agg(a.analysis_type, a.n)
            from (select coalesce(analysis_type, 'other') as analysis_type, count(*) as n from config_analysis
                   where config_id = config_items.id and status = 'open' group by 1) a) as analysis,
         coalesce((select s.seen_at from config_item_scrapes s where s.config_id = config_items.id),
                  last_scraped_time) as last_scraped_time
    from config_items;

create view config_names as select id, type, external_id, name from config_items order by name;

-- From type to type through the index.
create view config_types as
  with recursive types as (
    (select type from config_items order by type limit 1)
    union all
    select (select i.type from config_items i where i.type > types.type order by i.type limit 1)
      from types where types.type is not null)
  select type from types where type is not null;
create view config_classes as
  with recursive classes as (
    (select config_class from config_items where config_class is not null order by config_class limit 1)
    union all
    select (select i.config_class from config_items i where i.config_class > classes.config_class order by i.config_class limit 1)
      from classes where classes.config_class is not null)
  select config_class from classes where config_class is not null;
create view config_statuses as
  with recursive statuses as (
    (select status from config_items where status is not null order by status limit 1)
    union all
    select (select i.status from config_items i where i.status > statuses.status order by i.status limit 1)
      from statuses where statuses.status is not null)
  select status from statuses where status is not null;
create view config_sources as
  with recursive sources as (
    (select source from config_items where source is not null order by source limit 1)
    union all
    select (select i.source from config_items i where i.source > sources.source order by i.source limit 1)
      from sources where sources.source is not null)
  select source from sources where source is not null;

create view change_types as
  with recursive types as (
    (select change_type from config_changes where change_type is not null order by change_type limit 1)
    union all
    select (select c.change_type from config_changes c where c.change_type > types.change_type order by c.change_type limit 1)
      from types where types.change_type is not null)
  select change_type from types where change_type is not null;

create view analyzer_types as select distinct analyzer from config_analysis order by analyzer;
create view analysis_types as
  select distinct analysis_type from config_analysis where analysis_type is not null order by analysis_type;
create view config_analysis_analyzers as
  select distinct analyzer from config_analysis where status = 'open' order by analyzer;
create view config_analysis_items as
  select a.id, a.config_id, a.scraper_id, a.created_by, a.source, a.analyzer, a.analysis_type, a.severity, a.summary,
         a.status, a.message, a.analysis, a.properties, a.external_analysis_id, a.first_observed, a.last_observed,
         a.is_pushed, i.type as config_type, i.config_class
    from config_analysis a left join config_items i on i.id = a.config_id;
create view analysis_by_config as
  select config_id as id, jsonb_object_agg(analysis_type, severities) as analysis
    from (select config_id, analysis_type, jsonb_object_agg(severity, n) as severities
            from (select config_id, coalesce(analysis_type, 'other') as analysis_type,
                         coalesce(severity, 'info') as severity, count(*) as n
                    from config_analysis where status <> 'resolved' group by 1, 2, 3) counted
           group by config_id, analysis_type) typed
   group by config_id;

create view catalog_changes as
  select c.id, c.config_id, i.name, i.type, i.tags, c.external_created_by, c.created_at, c.severity, c.change_type,
         c.source, c.summary, c.created_by, c.count, c.first_observed, i.agent_id
    from config_changes c left join config_items i on i.id = c.config_id;

create view config_changes_by_types as
  select i.type, sum(t.total)::bigint as change_count
    from config_change_sums t join config_items i on i.id = t.config_id where t.total > 0 group by i.type;
create view config_analysis_by_severity as
  select i.type, a.severity, count(*) as analysis_count
    from config_analysis a join config_items i on i.id = a.config_id
   where a.first_observed > now() - interval '30 days' group by i.type, a.severity;

create view config_summary as
  select i.type, max(i.created_at) as created_at, max(i.updated_at) as updated_at,
         (select jsonb_object_agg(k, n) from (
            select coalesce(a.analysis_type, 'other') as k, count(*) as n from config_analysis a
              join config_items o on o.id = a.config_id and o.deleted_at is null and o.type = i.type
             where a.status = 'open' group by 1) counted) as analysis,
         (select jsonb_object_agg(k, n) from (
            select coalesce(a.severity, 'info') as k, count(*) as n from config_analysis a
              join config_items o on o.id = a.config_id and o.deleted_at is null and o.type = i.type
             where a.status = 'open' group by 1) counted) as severity,
         (select coalesce(sum(t.total), 0)::bigint from config_change_sums t
            join config_items o on o.id = t.config_id and o.deleted_at is null and o.type = i.type
           where t.total > 0) as changes,
         count(*) as total_configs, sum(i.cost_per_minute) as cost_per_minute, sum(i.cost_total_1d) as cost_total_1d,
         sum(i.cost_total_7d) as cost_total_7d, sum(i.cost_total_30d) as cost_total_30d
    from config_items i where i.deleted_at is null group by i.type;
create view config_class_summary as
  select i.config_class,
         (select jsonb_object_agg(k, n) from (
            select coalesce(a.analysis_type, 'other') as k, count(*) as n from config_analysis a
              join config_items o on o.id = a.config_id and o.config_class = i.config_class
             where a.status = 'open' group by 1) counted) as analysis,
         (select coalesce(sum(t.total), 0)::bigint from config_change_sums t
            join config_items o on o.id = t.config_id and o.config_class = i.config_class
           where t.total > 0) as changes,
         count(*) as total_configs, sum(i.cost_per_minute) as cost_per_minute, sum(i.cost_total_1d) as cost_total_1d,
         sum(i.cost_total_7d) as cost_total_7d, sum(i.cost_total_30d) as cost_total_30d
    from config_items i group by i.config_class;

create view config_items_aws as
  select configs.*, labels ->> 'zone' as zone, labels ->> 'region' as region, labels ->> 'account' as account
    from configs where type like 'AWS::%';

create view config_scrapers_with_status as
  select s.id, s.name, s.namespace, s.description, s.spec, s.labels, s.source, s.created_by, s.agent_id, s.created_at,
         s.updated_at, s.deleted_at,
         j.name as job_name, j.success_count as job_success_count, j.error_count as job_error_count,
         j.details as job_details, j.hostname as job_hostname, j.duration_millis as job_duration_millis,
         j.resource_type as job_resource_type, j.status as job_status, j.time_start as job_time_start,
         j.time_end as job_time_end, j.created_at as job_created_at,
         (select max(f.time_start) from job_history f
           where f.resource_type = 'config_scraper' and f.resource_id = s.id::text and f.name = 'Scraper'
             and f.status = 'FAILED') as job_last_failed,
         (select json_build_object('id', agents.id, 'name', agents.name)
            from (select) as one left join agents on agents.id = s.agent_id) as agent
    from config_scrapers s
    left join lateral (select h.* from job_history h
                        -- What was followed between two scrapes is not how the scraper is.
                        where h.resource_type = 'config_scraper' and h.resource_id = s.id::text and h.name = 'Scraper'
                        order by h.created_at desc, h.id desc limit 1) j on true
   where s.deleted_at is null;

-- Of components.

create view changes_by_component as
  select c.id, c.config_id, i.name, i.config_class, i.type, c.change_type, c.created_at, c.created_by, c.id as change_id,
         c.severity, r.component_id, i.deleted_at as config_deleted_at, c.summary
    from config_changes c
    join config_component_relationships r on r.config_id = c.config_id and r.deleted_at is null
    join config_items i on i.id = c.config_id
   order by c.created_at desc;
create view analysis_by_component as
  select a.config_id, i.name, i.config_class, i.type, a.analysis_type, a.first_observed, a.last_observed, a.created_by,
         a.id as analysis_id, a.severity, r.component_id
    from config_analysis a
    join config_component_relationships r on r.config_id = a.config_id and r.deleted_at is null
    join config_items i on i.id = a.config_id and i.deleted_at is null
   where a.status = 'open'
   order by array_position(array['critical', 'blocker', 'high', 'medium', 'low', 'info'], lower(a.severity)), i.name;
create view analysis_summary_by_component as
  select component_id as id, jsonb_object_agg(analysis_type, severities) as analysis
    from (select component_id, analysis_type, jsonb_object_agg(severity, n) as severities
            from (select r.component_id, coalesce(a.analysis_type, 'other') as analysis_type,
                         coalesce(a.severity, 'info') as severity, count(*) as n
                    from config_analysis a
                    join config_component_relationships r on r.config_id = a.config_id and r.deleted_at is null
                    join config_items i on i.id = a.config_id and i.deleted_at is null
                   group by 1, 2, 3) counted
           group by component_id, analysis_type) typed
   group by component_id;

create function lookup_analysis_by_component(id text) returns setof config_analysis language sql stable as $$
  select a.* from config_analysis a
    join config_component_relationships r on r.config_id = a.config_id and r.deleted_at is null
   where r.component_id = $1::uuid
$$;
create function lookup_changes_by_component(id text) returns setof config_changes language sql stable as $$
  select c.* from config_changes c
    join config_component_relationships r on r.config_id = c.config_id and r.deleted_at is null
   where r.component_id = $1::uuid
$$;
create function lookup_configs_by_component(id text)
returns table (config_id uuid, name text, type text, icon text, role text, deleted_at timestamptz) language sql stable as $$
  select i.id, i.name, i.config_class, i.icon, 'left', i.deleted_at from config_items i
    join config_component_relationships r on r.config_id = i.id and r.deleted_at is null
   where r.component_id = $1::uuid
$$;
create function lookup_components_by_config(id text)
returns table (component_id uuid, name text, type text, icon text, role text) language sql stable as $$
  select c.id, c.name, c.type, c.icon, 'left' from components c
    join config_component_relationships r on r.component_id = c.id and r.deleted_at is null
   where r.config_id = $1::uuid
$$;

-- How items hang together. Each walk goes level by level, and never to where it has been.

-- With `max_nodes` a walk reaches no more items than that; a row that only says `is_cut` tells that there are more. Of
-- the ties of one level so many times as many are looked at: a hub has hundreds of thousands.
create function walk_config_relationships(
  config_id uuid, type_filter text, max_depth int, incoming_relation text, outgoing_relation text, max_nodes int
) returns table (id uuid, related_id uuid, relation_type text, direction text, depth int, is_cut boolean)
language plpgsql stable as $$
#variable_conflict use_column
declare
  ties_each constant int := 25;
  way text;
  level int;
  frontier uuid[];
  been uuid[];
  starts uuid[];
  ends uuid[];
  relations text[];
  next uuid[];
  most_ties bigint := max_nodes::bigint * ties_each;
begin
  if type_filter not in ('outgoing', 'incoming', 'all', '') then
    raise exception 'type_filter is "%": it is one of outgoing, incoming and all', type_filter using errcode = '22023';
  end if;
  if max_nodes < 1 then
    raise exception 'max_nodes is %: it is 1 or more', max_nodes using errcode = '22023';
  end if;
  foreach way in array array['outgoing', 'incoming'] loop
    continue when type_filter in ('outgoing', 'incoming') and type_filter <> way;
    level := 0;
    frontier := array[$1];
    been := frontier;
    while level < least(max_depth, 64) and cardinality(frontier) > 0 loop
      level := level + 1;
      -- Joined, and not compared with `any`: what is planned for any array goes through all ties with each of its elements.
      if way = 'outgoing' then
        select array_agg(e.config_id), array_agg(e.related_id), array_agg(e.relation) into starts, ends, relations from (
          select r.config_id, r.related_id, r.relation from unnest(frontier) f (id) join config_relationships r on r.config_id = f.id
           where r.deleted_at is null and (outgoing_relation <> 'hard' or r.relation = 'hard')
           limit most_ties) e;
      else
        select array_agg(e.config_id), array_agg(e.related_id), array_agg(e.relation) into starts, ends, relations from (
          select r.config_id, r.related_id, r.relation from unnest(frontier) f (id) join config_relationships r on r.related_id = f.id
           where r.deleted_at is null and (incoming_relation <> 'hard' or r.relation = 'hard')
           limit most_ties) e;
      end if;
      -- As sets: one by one, ten thousand would be compared with ten thousand.
      next := array(select unnest(case way when 'outgoing' then ends else starts end) except select unnest(been));
      if cardinality(been) + cardinality(next) > max_nodes or cardinality(starts) >= most_ties then
        next := array(select e from unnest(next) e order by e limit greatest(max_nodes - cardinality(been), 0));
        return query select null::uuid, null::uuid, null::text, way, level, true;
        return query select e.s, e.t, e.r, way, level, false from unnest(starts, ends, relations) e (s, t, r)
           where ((case way when 'outgoing' then e.t else e.s end) in (select unnest(been || next))) is true;
      else
        return query select e.s, e.t, e.r, way, level, false from unnest(starts, ends, relations) e (s, t, r);
      end if;
      frontier := next;
      been := been || frontier;
    end loop;
  end loop;
end $$;

create function config_relationships_recursive(
  config_id uuid, type_filter text default 'outgoing', max_depth int default 5,
  incoming_relation text default 'both', outgoing_relation text default 'both'
) returns table (id uuid, related_id uuid, relation_type text, direction text, depth int) language sql stable as $$
  select w.id, w.related_id, w.relation_type, w.direction, w.depth
    from walk_config_relationships($1, $2, $3, $4, $5, null) w
$$;

create function related_config_ids_recursive(
  config_id uuid, type_filter text default 'outgoing', max_depth int default 5,
  incoming_relation text default 'both', outgoing_relation text default 'both'
) returns table (id uuid, direction text, depth int) language sql stable as $$
  select e.id, e.direction, min(e.depth) from (
    select case direction when 'outgoing' then r.related_id else r.id end as id, direction, depth
      from config_relationships_recursive($1, $2, $3, $4, $5) r) e
   group by e.id, e.direction
$$;

create function get_recursive_path(start uuid)
returns table (id uuid, related_id uuid, relation_type text, direction text, depth int) language sql stable as $$
  with steps as (
    select s.ancestor::uuid as ancestor, s.place, cardinality(a.ancestors) as many
      from config_items i
     cross join lateral (select string_to_array(nullif(i.path, ''), '.') as ancestors) a
     cross join lateral unnest(a.ancestors) with ordinality s (ancestor, place)
     where i.id = $1
  )
  select ancestor, coalesce(lead(ancestor) over (order by place), $1), 'parent', 'incoming', (many - place + 1)::int
    from steps order by place desc
$$;

-- `relations` says by which names an item is tied to each of `related_ids`, `is_partial` whether the walk ended at
-- `max_nodes` before it had reached everything.
create function related_configs_recursive(
  config_id uuid, type_filter text default 'outgoing', include_deleted_configs boolean default false, max_depth int default 5,
  incoming_relation text default 'both', outgoing_relation text default 'both', max_nodes int default 20000
) returns table (
  id uuid, name text, type text, related_ids text[], tags jsonb, changes jsonb, analysis jsonb, cost_per_minute numeric,
  cost_total_1d numeric, cost_total_7d numeric, cost_total_30d numeric, created_at timestamptz, updated_at timestamptz,
  deleted_at timestamptz, agent_id uuid, health text, ready boolean, status text, path text, labels jsonb,
  relations jsonb, is_partial boolean
) language sql stable as $$
  with edges as materialized (
    select id, related_id, relation_type, depth, is_cut from walk_config_relationships($1, $2, $4, $5, $6, coalesce($7, 20000))
    union all
    select id, related_id, 'hard', depth, false from get_recursive_path($1)
  ), ties as (
    select id, related_id, min(depth) as depth, jsonb_agg(distinct coalesce(relation_type, '')) as names
      from edges where not is_cut group by id, related_id
  ), nodes as (
    select node, min(depth) as depth, array_agg(target::text order by target) filter (where target is not null) as related_ids,
           jsonb_object_agg(target, names) filter (where target is not null) as relations
      from (select id as node, related_id as target, names, depth from ties
            union all select related_id, null, null, depth from ties
            union all select $1, null, null, 0) ends
     group by node
  )
  select c.id, c.name, c.type, n.related_ids, c.tags, c.changes, c.analysis, c.cost_per_minute, c.cost_total_1d,
         c.cost_total_7d, c.cost_total_30d, c.created_at, c.updated_at, c.deleted_at, c.agent_id, c.health, c.ready,
         c.status, c.path, c.labels, n.relations, exists (select from edges where is_cut)
    from nodes n join configs c on c.id = n.node
   where include_deleted_configs or c.deleted_at is null
   order by n.depth, c.name
$$;

create function related_changes_recursive(
  lookup_id uuid, type_filter text default 'downstream', include_deleted_configs boolean default false, max_depth int default 5
) returns setof catalog_changes language sql stable as $$
  select c.* from catalog_changes c
   where c.config_id in (
     select $1
     union
     select r.id from related_config_ids_recursive(
       $1, case type_filter when 'downstream' then 'outgoing' when 'upstream' then 'incoming' else 'all' end,
       case when type_filter in ('none', '') then 0 else $4 end) r)
$$;

create function config_path(id uuid) returns text language sql stable as $$
  with recursive up as (
    select i.id, i.parent_id, 0 as depth from config_items i where i.id = $1
    union all
    select i.id, i.parent_id, up.depth + 1 from up join config_items i on i.id = up.parent_id where up.depth < 64
  )
  select string_agg(up.id::text, '.' order by depth desc) from up
$$;

create function lookup_config_children(id text, max_depth int)
returns table (child_id uuid, parent_id uuid, level int) language sql stable as $$
  with recursive down as (
    select i.id, i.parent_id, 0 as level from config_items i where i.id = $1::uuid
    union all
    select i.id, i.parent_id, down.level + 1 from down join config_items i on i.parent_id = down.id
     where down.level < case when $2 < 0 then 10 else least($2, 64) end
  )
  select down.id, down.parent_id, down.level from down
$$;
create function lookup_config_relations(config_id text) returns table (id uuid) language sql stable as $$
  select case when r.config_id = $1::uuid then r.related_id else r.config_id end
    from config_relationships r where $1::uuid in (r.config_id, r.related_id)
$$;

create view config_detail as
  select i.id, i.agent_id, i.icon, i.scraper_id, i.config_class, i.status, i.health, i.ready, i.external_id, i.type,
         i.cost_per_minute, i.cost_total_1d, i.cost_total_7d, i.cost_total_30d, i.name, i.description, i.config, i.source,
         i.labels, i.tags, i.properties, i.parent_id, i.path, i.is_pushed, i.created_by,
         coalesce((select s.seen_at from config_item_scrapes s where s.config_id = i.id), i.last_scraped_time) as last_scraped_time,
         i.created_at, i.updated_at, i.deleted_at, i.delete_reason,
         json_build_object(
           'relationships', (select count(distinct r.related_id) from config_relationships r
                              where r.config_id = i.id and r.deleted_at is null and r.related_id <> i.id)
                          + (select count(distinct r.config_id) from config_relationships r
                              where r.related_id = i.id and r.deleted_at is null and r.config_id <> i.id),
           'analysis', (select count(*) from config_analysis a where a.config_id = i.id),
           -- As the tab of changes opens: seven days, with what lies downstream, of what is not deleted.
           'changes', (select count(*) from config_changes c
                        where c.created_at > now() - interval '7 days'
                          and c.config_id = any (array(select i.id union select r.id from related_config_ids_recursive(i.id) r))
                          and not exists (select from config_items o where o.id = c.config_id and o.deleted_at is not null)),
           'playbook_runs', 0,
           'checks', (select count(distinct r.check_id) from check_config_relationships r join checks c on c.id = r.check_id
                       where r.config_id = i.id and r.deleted_at is null and c.deleted_at is null)
         ) as summary,
         -- As the table is shown: some of its columns are the program's own.
         coalesce((select json_agg(to_jsonb(c) - '{given_status,given_health,given_summary,position,roll_up_fault}'::text[])
                     from components c join config_component_relationships r on r.component_id = c.id
                    where r.config_id = i.id and r.deleted_at is null and c.deleted_at is null), '[]') as components
    from config_items i;
