-- Triggers, functions and read models of the topology. Dropped and made again whenever this text changes.

call keep_updated_at('topologies', '{name, namespace, labels, annotations, spec, sealed, schedule}');
call keep_is_pushed('topologies');
call keep_history('topologies', 'id', '{updated_at}');
call keep_source('topologies');
call seal_column('topologies', 'sealed');
call announce_changes('topologies', 'id');

call keep_updated_at('components');
call keep_is_pushed('components');
call keep_updated_at('component_relationships');
call keep_is_pushed('component_relationships');
-- Told as what is shown of them: without signing in only some components may be seen, and their changes not at all.
call announce_changes('components', 'id', 'topology');
call announce_changes('component_relationships', 'relationship_id', 'topology');
call announce_changes('team_components', 'component_id');

-- A row that says no source is kept here.
create function keep_topology_in_console() returns trigger language plpgsql as $$
begin
  new.source := 'UI';
  return new;
end $$;
create trigger keep_in_console before insert on topologies for each row
  when (new.source is null) execute function keep_topology_in_console();

-- What its document says, for who asks rows.
create function topology_schedule() returns trigger language plpgsql as $$
begin
  new.schedule := new.spec ->> 'schedule';
  return new;
end $$;
create trigger topology_schedule before insert or update of spec on topologies for each row execute function topology_schedule();

-- What a topology made goes with it, and comes back with its ids when it does.
create function topologies_soft_deleted() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update components c set deleted_at = n.deleted_at
    from was o join changed n using (id)
   where o.deleted_at is null and n.deleted_at is not null and c.topology_id = n.id and c.deleted_at is null;
  return null;
end $$;
create trigger topologies_soft_deleted after update on topologies
  referencing old table as was new table as changed for each statement execute function topologies_soft_deleted();

-- What hung on a component that is gone hangs on it no more.
create function components_soft_deleted() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if (select count(*) from changed n join was o using (id) where o.deleted_at is null and n.deleted_at is not null) = 0 then
    return null;
  end if;
  delete from team_components t using was o join changed n using (id)
   where o.deleted_at is null and n.deleted_at is not null and t.component_id = n.id;
  update component_relationships r set deleted_at = n.deleted_at from was o join changed n using (id)
   where o.deleted_at is null and n.deleted_at is not null and r.deleted_at is null
     and n.id in (r.component_id, r.relationship_id);
  update check_component_relationships r set deleted_at = n.deleted_at from was o join changed n using (id)
   where o.deleted_at is null and n.deleted_at is not null and r.deleted_at is null and r.component_id = n.id;
  update config_component_relationships r set deleted_at = n.deleted_at from was o join changed n using (id)
   where o.deleted_at is null and n.deleted_at is not null and r.deleted_at is null and r.component_id = n.id;
  return null;
end $$;
create trigger components_soft_deleted after update on components
  referencing old table as was new table as changed for each statement execute function components_soft_deleted();

create function team_components_end() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from team_components t using was o join changed n using (id)
   where o.deleted_at is null and n.deleted_at is not null and t.team_id = n.id;
  return null;
end $$;
create trigger team_components_end after update on teams
  referencing old table as was new table as changed for each statement execute function team_components_end();

create function state_of_component(id uuid, status text, description text) returns jsonb language sql immutable as $$
  select jsonb_build_object('id', id, 'status', status, 'description', description)
$$;

-- How components were is kept from one change to the next, and turns of their health are told.
create function components_tell_states() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into component_states (component_id, time, health, status)
      select id, clock_timestamp(), health, status from changed where deleted_at is null order by id;
    return null;
  end if;
  if (select count(*) from changed n join was o using (id)
       where (n.health, n.status, n.deleted_at is null) is distinct from (o.health, o.status, o.deleted_at is null)) = 0 then
    return null;
  end if;
  insert into component_states (component_id, time, health, status)
    select n.id, clock_timestamp(), case when n.deleted_at is null then n.health end,
           case when n.deleted_at is null then n.status end
      from changed n join was o using (id)
     where (n.health, n.status, n.deleted_at is null) is distinct from (o.health, o.status, o.deleted_at is null)
     order by n.id
    on conflict (component_id, time) do update set health = excluded.health, status = excluded.status;
  if (select count(*) from changed n join was o using (id) where n.health is distinct from o.health) = 0 then return null; end if;
  perform raise_event('component.healthy', state_of_component(n.id, n.status, n.description))
     from changed n join was o using (id)
    where n.deleted_at is null and n.health is distinct from o.health and n.health = 'healthy'
      -- What nobody had looked at yet has not turned; one that begins unwell is heard of all the same.
      and o.health is not null;
  perform raise_event('component.warning', state_of_component(n.id, n.status, n.description))
     from changed n join was o using (id)
    where n.deleted_at is null and n.health is distinct from o.health and n.health = 'warning';
  perform raise_event('component.unhealthy', state_of_component(n.id, n.status, n.description))
     from changed n join was o using (id)
    where n.deleted_at is null and n.health is distinct from o.health and n.health = 'unhealthy';
  perform raise_event('component.unknown', state_of_component(n.id, n.status, n.description))
     from changed n join was o using (id)
    where n.deleted_at is null and n.health is distinct from o.health and coalesce(n.health, '') not in ('healthy', 'warning', 'unhealthy')
      and o.health is not null;
  return null;
end $$;
create trigger components_tell_first_states after insert on components
  referencing new table as changed for each statement execute function components_tell_states();
create trigger components_tell_states after update on components
  referencing old table as was new table as changed for each statement execute function components_tell_states();

-- Read models.

-- What hangs directly below what: by its parent and by relationships, each tie once, between components that are there.
create view component_ties as
  select c.parent_id as above, c.id as below
    from components c join components p on p.id = c.parent_id and p.deleted_at is null
   where c.deleted_at is null and c.parent_id <> c.id
  union
  select r.relationship_id, r.component_id
    from component_relationships r
    join components p on p.id = r.relationship_id and p.deleted_at is null
    join components c on c.id = r.component_id and c.deleted_at is null
   where r.deleted_at is null and r.relationship_id <> r.component_id;

create view component_names as
  select id, path, external_id, type, name, created_at, updated_at, icon, parent_id
    from components where deleted_at is null and not hidden order by name, external_id;
create view component_names_all as
  select id, path, external_id, type, name, created_at, updated_at, icon, parent_id, deleted_at
    from components where not hidden order by name, external_id;
create view component_labels as
  select distinct l.key, l.value
    from components c
   cross join lateral jsonb_each_text(case when jsonb_typeof(c.labels) = 'object' then c.labels else '{}' end) l
   where c.deleted_at is null;
create view component_types as
  select distinct type from components where deleted_at is null and type is not null;
create view components_with_logs as
  select id, name, agent_id, icon, type from components
   where deleted_at is null and jsonb_typeof(log_selectors) = 'array' and log_selectors <> '[]';

-- Of the program's own parts: which checks a component has itself, and how they are; one that hangs on it for several
-- reasons hangs on it once. Nobody knows the state of a check whose result is overdue.
create view component_own_checks as
  select distinct r.component_id, k.id as check_id,
         case when k.result_due < now() or k.status is null or k.status not in ('healthy', 'unhealthy') then 'unknown'
              else k.status end as status
    from check_component_relationships r join checks k on k.id = r.check_id and k.deleted_at is null
   where r.deleted_at is null;
-- The open insights of the items that are linked with a component.
create view component_own_insights as
  select distinct r.component_id, a.id as analysis_id, coalesce(a.analysis_type, 'other') as analysis_type,
         coalesce(lower(a.severity), 'info') as severity
    from config_component_relationships r
    join config_items i on i.id = r.config_id and i.deleted_at is null
    join config_analysis a on a.config_id = i.id and a.status = 'open'
   where r.deleted_at is null;

create view topology as
  select c.id, c.agent_id, c.topology_id, c.external_id, c.parent_id, c.config_id, c.name, c.text, c.topology_type,
         c.namespace, c.labels, c.hidden, c.silenced, c.is_pushed, c.status, c.status_expr, c.health_expr, c.health,
         c.description, c.lifecycle, c.tooltip, nullif(concat_ws(' ', c.roll_up_fault, c.status_reason), '') as status_reason,
         c.schedule, c.icon, c.type, c.owner, c.selectors, c.log_selectors, c.component_checks, c.configs, c.properties,
         c.path, c.summary, c.is_leaf, c.cost_per_minute, c.cost_total_1d, c.cost_total_7d, c.cost_total_30d,
         c.created_by, c.created_at, c.updated_at, c.deleted_at, c.position as "order",
         (select json_agg(json_build_object('name', l ->> 'name'))
            from jsonb_array_elements(case when jsonb_typeof(c.log_selectors) = 'array' then c.log_selectors else '[]' end) l) as logs,
         (select json_object_agg(status, n) from (select status, count(*) as n from component_own_checks
            where component_id = c.id group by status) k) as checks,
         (select array_agg(t.name order by t.name) from team_components m join teams t on t.id = m.team_id
           where m.component_id = c.id and t.deleted_at is null) as team_names,
         '{}'::jsonb as incidents,
         (select jsonb_object_agg(analysis_type, severities)
            from (select analysis_type, jsonb_object_agg(severity, n) as severities
                    from (select analysis_type, severity, count(*) as n from component_own_insights
                           where component_id = c.id group by 1, 2) s group by 1) a) as analysis,
         (select array_agg(below order by below) from component_ties where above = c.id) as children,
         (select array_agg(above order by above) from component_ties where below = c.id) as parents
    from components c
   where c.deleted_at is null;

create view topologies_with_status as
  select t.id, t.agent_id, t.name, t.namespace, t.labels, t.annotations, t.spec, t.schedule, t.source, t.created_by,
         t.created_at, t.updated_at, t.deleted_at, t.is_pushed,
         j.name as job_name, j.success_count as job_success_count, j.error_count as job_error_count,
         j.details as job_details, j.hostname as job_hostname, j.duration_millis as job_duration_millis,
         j.resource_type as job_resource_type, j.status as job_status, j.time_start as job_time_start,
         j.time_end as job_time_end, j.created_at as job_created_at,
         (select max(f.time_start) from job_history f
           where f.resource_type = 'topology' and f.resource_id = t.id::text and f.name = 'Topology'
             and f.status = 'FAILED') as job_last_failed,
         (select json_build_object('id', agents.id, 'name', agents.name)
            from (select) as one left join agents on agents.id = t.agent_id) as agent
    from topologies t
    left join lateral (select h.* from job_history h
                        where h.resource_type = 'topology' and h.resource_id = t.id::text and h.name = 'Topology'
                        order by h.created_at desc, h.id desc limit 1) j on true
   where t.deleted_at is null;

-- Functions that are called by name.

create function lookup_component_children(id text, max_depth int)
returns table (child_id uuid, parent_id uuid, level int) language sql stable as $$
  with recursive down as (
    select c.id, c.parent_id, 0 as level from components c where c.id = $1::uuid
    union all
    select c.id, c.parent_id, down.level + 1 from down join components c on c.parent_id = down.id
     where c.deleted_at is null and down.level < case when $2 < 0 then 10 else least($2, 64) end
  ) cycle id set is_back using way
  select down.id, down.parent_id, down.level from down where not is_back
$$;
create function lookup_component_relations(component_id text) returns table (id uuid) language sql stable as $$
  select case when r.component_id = $1::uuid then r.relationship_id else r.component_id end
    from component_relationships r where $1::uuid in (r.component_id, r.relationship_id) and r.deleted_at is null
$$;
-- Components as they are shown: of the table itself not every column is.
create function lookup_components_by_check(id uuid) returns setof topology language sql stable as $$
  select c.* from topology c
   where exists (select from check_component_relationships r
                  where r.check_id = $1 and r.component_id = c.id and r.deleted_at is null)
$$;
create function lookup_component_by_property(name text, value text) returns setof topology language sql stable as $$
  select c.* from topology c
   where (c.properties @> jsonb_build_array(jsonb_build_object('name', $1, 'text', $2))
          or c.properties @> jsonb_build_array(jsonb_build_object('name', $1, 'value', $2))
          or c.properties @> jsonb_build_array(jsonb_build_object('name', $1, 'value',
               to_jsonb(case when $2 ~ '^-?\d{1,15}(\.\d{1,15})?$' then $2::numeric end))))
$$;
create function lookup_component_names(component_ids uuid[]) returns table (names text[]) language sql stable as $$
  select array_agg(c.name order by n.place) from unnest($1) with ordinality n (id, place) join components c on c.id = n.id
$$;
create function check_summary_for_component(id uuid) returns setof check_summary language sql stable as $$
  select s.* from check_summary s
   where exists (select from check_component_relationships r
                  where r.component_id = $1 and r.check_id = s.id and r.deleted_at is null)
$$;
-- Components whose item stands where that of this one does, or below it.
create function lookup_component_config_id_related_components(component_id text) returns table (id uuid) language sql stable as $$
  with own as (
    select i.id, coalesce(i.path, '') as path from components c join config_items i on i.id = c.config_id where c.id = $1::uuid
  ), root as (
    select case when path = '' then own.id::text else path end as path, own.id from own
  )
  select c.id from components c join config_items i on i.id = c.config_id cross join root
   where c.deleted_at is null and (i.id = root.id or i.path = root.path or starts_with(i.path, root.path || '.'))
$$;

-- What has changed is counted: see topology_versions.

create function touch_topology(is_input boolean) returns void language sql security definer set search_path = public, pg_temp as $$
  insert into topology_versions as v (source, inputs, shown) values (pg_backend_pid(), is_input::int, 1)
  on conflict (source) do update set inputs = v.inputs + excluded.inputs, shown = v.shown + 1, changed_at = now()
$$;
-- One text for all that has changed until now.
create function topology_inputs() returns text language sql stable as $$
  select coalesce(string_agg(source || ' ' || inputs, ',' order by source), '') from topology_versions where inputs > 0
$$;
-- With the time: a number that is deleted begins again.
create function topology_shown() returns text language sql stable as $$
  select md5(coalesce(string_agg(source || ' ' || shown || ' ' || extract(epoch from changed_at), ',' order by source), ''))
    from topology_versions
$$;

-- Everything but what judging them writes.
create function component_source(c components) returns record language sql stable as $$
  select (c.agent_id, c.topology_id, c.external_id, c.parent_id, c.config_id, c.name, c.text, c.topology_type, c.namespace,
          c.labels, c.hidden, c.silenced, c.status_expr, c.health_expr, c.description, c.lifecycle, c.tooltip,
          c.status_reason, c.schedule, c.icon, c.type, c.owner, c.selectors, c.log_selectors, c.component_checks, c.configs,
          c.properties, c.path, c.is_leaf, c.cost_per_minute, c.cost_total_1d, c.cost_total_7d, c.cost_total_30d,
          c.deleted_at, c.given_status, c.given_health, c.given_summary, c.position)
$$;
create function components_touch() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  is_input boolean := true;
begin
  if (select count(*) from changed) = 0 then return null; end if;
  if tg_op = 'UPDATE' then
    is_input := (select count(*) from changed n join was o using (id)
                  where component_source(n) is distinct from component_source(o)) > 0;
  end if;
  perform touch_topology(is_input);
  return null;
end $$;
create trigger components_touch_new after insert on components
  referencing new table as changed for each statement execute function components_touch();
create trigger components_touch after update on components
  referencing old table as was new table as changed for each statement execute function components_touch();
create trigger components_touch_gone after delete on components
  referencing old table as changed for each statement execute function components_touch();

-- Of tables whose every row counts.
create function topology_touch() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if (select count(*) from changed) > 0 then perform touch_topology(tg_argv[0]::boolean); end if;
  return null;
end $$;
create procedure touches_topology(of_table text, is_input boolean) language plpgsql as $$
declare
  verb text;
begin
  foreach verb in array array['insert', 'update', 'delete'] loop
    execute format(
      'create trigger touches_topology_%1$s after %1$s on %2$I referencing %3$s table as changed for each statement execute function topology_touch(%4$L)',
      verb, of_table, case verb when 'delete' then 'old' else 'new' end, is_input);
  end loop;
end $$;
call touches_topology('component_relationships', true);
call touches_topology('check_component_relationships', true);
call touches_topology('config_component_relationships', true);
call touches_topology('team_components', false);

create function teams_touch_topology() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from team_components where team_id = new.id) then perform touch_topology(false); end if;
  return null;
end $$;
create trigger teams_touch_topology after update of name, deleted_at on teams
  for each row when ((old.name, old.deleted_at) is distinct from (new.name, new.deleted_at))
  execute function teams_touch_topology();

-- Results are written all the time, and say the same mostly.
create function checks_touch_topology() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from check_component_relationships where check_id = new.id and deleted_at is null) then
    perform touch_topology(true);
  end if;
  return null;
end $$;
create trigger checks_touch_topology after update of status, deleted_at on checks
  for each row when ((old.status, old.deleted_at is null) is distinct from (new.status, new.deleted_at is null))
  execute function checks_touch_topology();

create function items_touch_topology() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from config_component_relationships where config_id = new.id and deleted_at is null) then
    perform touch_topology(true);
  end if;
  return null;
end $$;
create trigger items_touch_topology after update of deleted_at on config_items
  for each row when ((old.deleted_at is null) is distinct from (new.deleted_at is null))
  execute function items_touch_topology();

create function insights_touch_topology() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  turned uuid[];
begin
  if tg_op = 'UPDATE' then
    turned := array(select n.config_id from changed n join was o using (id)
                     where (n.config_id, n.status, n.analysis_type, n.severity)
                           is distinct from (o.config_id, o.status, o.analysis_type, o.severity));
  else
    turned := array(select config_id from changed where status = 'open');
  end if;
  if turned = '{}' then return null; end if;
  if exists (select from config_component_relationships where config_id = any (turned) and deleted_at is null) then
    perform touch_topology(true);
  end if;
  return null;
end $$;
create trigger insights_touch_topology_new after insert on config_analysis
  referencing new table as changed for each statement execute function insights_touch_topology();
create trigger insights_touch_topology after update on config_analysis
  referencing old table as was new table as changed for each statement execute function insights_touch_topology();
create trigger insights_touch_topology_gone after delete on config_analysis
  referencing old table as changed for each statement execute function insights_touch_topology();
