-- Triggers and read models of health checks. Dropped and made again whenever this text changes.

call keep_updated_at('canaries', '{spec, sealed}');
call keep_is_pushed('canaries');
call keep_history('canaries', 'id', '{updated_at}');
call keep_source('canaries');
call seal_column('canaries', 'sealed');

-- Checks of all canaries at once, in the order in which the writer of results locks them: neither ends the other.
create function canaries_soft_deleted() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone constant uuid[] := array(select n.id from before b join now_so n using (id)
                                 where b.deleted_at is null and n.deleted_at is not null);
begin
  if gone = '{}' then return null; end if;
  perform from checks where canary_id = any(gone) and deleted_at is null order by id for no key update;
  update checks k set deleted_at = n.deleted_at from now_so n
   where n.id = any(gone) and k.canary_id = n.id and k.deleted_at is null;
  update check_component_relationships r set deleted_at = n.deleted_at from now_so n
   where n.id = any(gone) and r.canary_id = n.id and r.deleted_at is null;
  return null;
end $$;
create trigger canaries_soft_deleted after update on canaries
  referencing old table as before new table as now_so for each statement execute function canaries_soft_deleted();

call keep_updated_at('checks');
call keep_is_pushed('checks');

create function check_transition() returns trigger language plpgsql as $$
begin
  -- The moment of the run that changed it: every other place says since when by its runs.
  new.last_transition_time :=
    case when new.last_runtime is distinct from old.last_runtime then coalesce(new.last_runtime, now()) else now() end;
  return new;
end $$;
create trigger check_transition before update on checks
  for each row when (new.status is distinct from old.status) execute function check_transition();

create function check_soft_deleted() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update check_component_relationships set deleted_at = new.deleted_at where check_id = new.id and deleted_at is null;
  -- Nobody sees them from now on; the clean-up takes their bytes.
  update artifacts set expires_at = now() where check_id = new.id and (expires_at is null or expires_at > now());
  return null;
end $$;
create trigger check_soft_deleted after update of deleted_at on checks
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function check_soft_deleted();

-- An event follows a transition between passing and failing, whatever lies between: a check that was unknown for a
-- while and is as it was before has not changed. A first pass is no transition; a first failure must be heard of.
create function check_changed_state() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  is_healthy constant boolean := new.status = 'healthy';
  was_healthy boolean;
begin
  select settled into was_healthy from check_totals where check_id = new.id;
  if not found then was_healthy := case old.status when 'healthy' then true when 'unhealthy' then false end; end if;
  if was_healthy is distinct from is_healthy then
    insert into check_totals (check_id, settled) values (new.id, is_healthy)
      on conflict (check_id) do update set settled = excluded.settled;
    if was_healthy is not null or not is_healthy then
      if is_healthy then
        perform raise_event('check.passed', jsonb_build_object('id', new.id, 'last_runtime', new.last_runtime));
      else
        perform raise_event('check.failed', jsonb_build_object('id', new.id, 'last_runtime', new.last_runtime));
      end if;
    end if;
  end if;
  return null;
end $$;
create trigger check_changed_state after update of status on checks
  for each row when (old.status is distinct from new.status and new.status in ('healthy', 'unhealthy'))
  execute function check_changed_state();

call keep_is_pushed('check_statuses');
call keep_updated_at('artifacts');
call keep_is_pushed('artifacts');
call keep_is_pushed('check_component_relationships');
call keep_is_pushed('check_config_relationships');

-- What the health page shows beside results: see health_versions. The columns leave out what writing results changes.
create function health_documents_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update health_versions set version = version + 1, changed_at = now() where source = 'documents';
  return null;
end $$;
create trigger canaries_version after insert or delete or update on canaries
  for each statement execute function health_documents_changed();
create trigger checks_version after insert or delete or update of
    canary_id, agent_id, type, name, namespace, description, icon, spec, labels, owner, severity, silenced_at, deleted_at
  on checks for each statement execute function health_documents_changed();

-- Nobody knows the state of a check once its next result is overdue, whatever the last one was; that is decided by the
-- clock of whoever reads, so that it needs nobody to be alive. `checks` itself follows (mark-overdue.ts).
create view check_names as
  select id, canary_id, type, name, case when result_due < now() then 'unknown' else status end as status
    from checks where deleted_at is null and silenced_at is null order by name;

create view check_labels as
  select distinct l.key, l.value from checks, jsonb_each_text(labels) l where jsonb_typeof(labels) = 'object';

create view check_status_summary_hour as
  select check_id,
         percentile_disc(0.99) within group (order by duration) as p99,
         percentile_disc(0.95) within group (order by duration) as p95,
         percentile_disc(0.5) within group (order by duration) as p50,
         avg(duration) as mean,
         count(*) filter (where status) as passed,
         count(*) filter (where not status) as failed,
         max(time) as last_check,
         max(time) filter (where status) as last_pass,
         max(time) filter (where not status) as last_fail
    from check_statuses
   where time > now() - interval '1 hour' and status is not null
   group by check_id;

create view check_status_summary as
  select * from check_status_summary_hour
  union all
  select t.check_id, l.duration, l.duration, l.duration, l.duration, l.status::int, (not l.status)::int,
         t.last_time, t.last_pass, t.last_fail
    from check_totals t
    join checks c on c.id = t.check_id and c.deleted_at is null
    cross join lateral (select s.duration, s.status from check_statuses s
                         where s.check_id = t.check_id and s.status is not null order by s.time desc limit 1) l
   where t.last_time <= now() - interval '1 hour';

create view check_summary as
  select c.id, c.canary_id,
         json_build_object('passed', s.passed, 'failed', s.failed, 'last_pass', s.last_pass, 'last_fail', s.last_fail) as uptime,
         json_build_object('p99', s.p99, 'p95', s.p95, 'p50', s.p50, 'avg', s.mean) as latency,
         c.last_transition_time, c.type, c.icon, c.name,
         case when c.result_due < now() then 'unknown' else c.status end as status, c.description, c.namespace,
         y.namespace as canary_namespace, y.name as canary_name,
         coalesce(y.labels, '{}'::jsonb) || coalesce(c.labels, '{}'::jsonb) as labels,
         c.severity, c.owner, c.last_runtime, c.created_at, c.updated_at, c.deleted_at, c.silenced_at
    from checks c
    join canaries y on y.id = c.canary_id
    -- Of each check that is asked for by itself, where a join would first summarise the last hour of all there are.
    left join lateral (select * from check_status_summary o where o.check_id = c.id offset 0) s on true;

-- A check that belongs to an item for several reasons belongs to it once.
create view check_summary_for_config as
  select r.config_id, s.* from check_config_relationships r join check_summary s on s.id = r.check_id
   where r.deleted_at is null and not exists (
     select from check_config_relationships o
      where o.config_id = r.config_id and o.check_id = r.check_id and o.deleted_at is null
        and (o.canary_id, coalesce(o.selector_id, '')) < (r.canary_id, coalesce(r.selector_id, '')));

-- Several may say that a check belongs to a component; it is one check.
create view checks_by_component as
  select distinct r.component_id, c.id, c.type, c.name, c.severity,
         case when c.result_due < now() then 'unknown' else c.status end as status
    from check_component_relationships r join checks c on c.id = r.check_id where r.deleted_at is null;

create view checks_by_config as
  select r.config_id, c.id, c.type, c.name, c.severity,
         case when c.result_due < now() then 'unknown' else c.status end as status, c.icon, c.last_runtime
    from check_config_relationships r join checks c on c.id = r.check_id
   where r.deleted_at is null and not exists (
     select from check_config_relationships o
      where o.config_id = r.config_id and o.check_id = r.check_id and o.deleted_at is null
        and (o.canary_id, coalesce(o.selector_id, '')) < (r.canary_id, coalesce(r.selector_id, '')));

create view check_summary_by_component as
  select component_id, json_object_agg(coalesce(status, 'unknown'), count) as checks
    from (select component_id, status, count(*) as count from checks_by_component group by component_id, status) s
   group by component_id;

create view check_summary_by_config as
  select config_id, json_object_agg(coalesce(status, 'unknown'), count) as checks
    from (select config_id, status, count(*) as count from checks_by_config group by config_id, status) s
   group by config_id;

-- Runs per step: each snapshot holds the totals before its step, so a step is the next snapshot minus its own.
create view check_statuses_5m as
  select s.check_id, s.time as created_at,
         (lead(s.passed + s.failed, 1, t.passed + t.failed) over w - s.passed - s.failed)::bigint as total_checks,
         (lead(s.passed, 1, t.passed) over w - s.passed)::bigint as passed,
         (lead(s.failed, 1, t.failed) over w - s.failed)::bigint as failed,
         (lead(s.duration, 1, t.duration) over w - s.duration)::bigint as total_duration
    from check_totals_5m s join check_totals t on t.check_id = s.check_id
   where s.time > now() - interval '1 day'
  window w as (partition by s.check_id order by s.time);

create view check_statuses_1h as
  select s.check_id, s.time as created_at,
         (lead(s.duration, 1, t.duration) over w - s.duration)::bigint as duration,
         (lead(s.passed + s.failed, 1, t.passed + t.failed) over w - s.passed - s.failed)::int as total,
         (lead(s.passed, 1, t.passed) over w - s.passed)::int as passed,
         (lead(s.failed, 1, t.failed) over w - s.failed)::int as failed
    from check_totals_1h s join check_totals t on t.check_id = s.check_id
  window w as (partition by s.check_id order by s.time);

create view check_statuses_1d as
  select s.check_id, s.time as created_at,
         (lead(s.duration, 1, t.duration) over w - s.duration)::bigint as duration,
         (lead(s.passed + s.failed, 1, t.passed + t.failed) over w - s.passed - s.failed)::int as total,
         (lead(s.passed, 1, t.passed) over w - s.passed)::int as passed,
         (lead(s.failed, 1, t.failed) over w - s.failed)::int as failed
    from check_totals_1d s join check_totals t on t.check_id = s.check_id
  window w as (partition by s.check_id order by s.time);

create view checks_status_artifacts as
  select s.check_id, s.status as check_status, s.message as check_message, s.error, s.invalid, s.time, s.duration,
         coalesce((select json_agg(json_build_object('id', a.id, 'name', a.filename, 'size', a.size) order by a.path, a.id)
                     from artifacts a
                    where a.check_id = s.check_id and a.check_time = s.time and a.deleted_at is null
                      and (a.expires_at is null or a.expires_at > now())), '[]') as artifacts
    from check_statuses s;

create view canaries_with_status as
  select c.id, c.name, c.namespace, c.spec ->> 'interval' as interval,
         -- When it really runs, which the document may leave to the program.
         (select s.schedule from schedules s where s.kind = 'canary' and s.key = c.id::text) as schedule,
         c.labels, c.source, c.created_by, c.created_at, c.updated_at, c.deleted_at,
         (select max(k.last_runtime) from checks k where k.canary_id = c.id) as last_runtime,
         j.name as job_name, j.success_count as job_success_count, j.error_count as job_error_count,
         j.details as job_details, j.hostname as job_hostname, j.duration_millis as job_duration_millis,
         j.resource_type as job_resource_type, j.status as job_status, j.time_start as job_time_start,
         j.time_end as job_time_end, j.created_at as job_created_at,
         (select max(coalesce(f.failed_at, f.time_start)) from job_history f
           where f.resource_id = c.id::text and (f.status = 'FAILED' or f.failed_at is not null)) as job_last_failed,
         json_build_object('id', a.id, 'name', a.name) as agent
    from canaries c
    left join agents a on a.id = c.agent_id
    left join lateral (select h.* from job_history h where h.resource_id = c.id::text
                        order by h.created_at desc, h.id desc limit 1) j on true
   where c.deleted_at is null;

call announce_changes('canaries', 'id');

-- Of checks it is announced which there are, what is said of them, and when their state changes; not every result.
create trigger announce_insert_of_checks after insert on checks referencing new table as changed
  for each statement execute function announce_change('id', 'checks', 'true', '{}');
create function announce_check() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  call announce('checks', array[new.id::text], 'update', changed_columns(to_jsonb(old), to_jsonb(new)));
  return null;
end $$;
create trigger announce_state_of_checks after update of status, deleted_at on checks
  for each row when ((old.status, old.deleted_at) is distinct from (new.status, new.deleted_at))
  execute function announce_check();
create trigger announce_update_of_checks after update of
    canary_id, agent_id, type, name, namespace, description, icon, spec, labels, owner, severity, silenced_at
  on checks for each row when (
    (old.canary_id, old.agent_id, old.type, old.name, old.namespace, old.description, old.icon, old.spec, old.labels,
     old.owner, old.severity, old.silenced_at) is distinct from
    (new.canary_id, new.agent_id, new.type, new.name, new.namespace, new.description, new.icon, new.spec, new.labels,
     new.owner, new.severity, new.silenced_at))
  execute function announce_check();
