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
    where n.deleted_at is null and n.health is distinct from o.health and n.health = 'healthy';
  perform raise_event('component.warning', state_of_component(n.id, n.status, n.description))
     from changed n join was o using (id)
    where n.deleted_at is null and n.health is distinct from o.health and n.health = 'warning';
  perform raise_event('component.unhealthy', state_of_component(n.id, n.status, n.description))
     from changed n join was o using (id)
    where n.deleted_at is null and n.health is distinct from o.health and n.health = 'unhealthy';
  perform raise_event('component.unknown', state_of_component(n.id, n.status, n.description))
     from changed n join was o using (id)
    where n.deleted_at is null and n.health is distinct from o.health and coalesce(n.health, '') not in ('healthy', 'warning', 'unhealthy')
      -- What nobody had looked at yet has not turned.
      and o.health is not null;
  return null;
end $$;
create trigger components_tell_first_states after insert on components
  referencing new table as changed for each statement execute function components_tell_states();
create trigger components_tell_states after update on components
  referencing old table as was new table as changed for each statement execute function components_tell_states();
