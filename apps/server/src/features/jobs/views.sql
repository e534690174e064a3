-- Read models over the job history and the event queue, how SQL raises events, and what wakes the dispatcher.

-- Writes an event in the transaction of what happened; the same one arms the row again that is already there. The names
-- are those that features declare (Feature.events).
create function raise_event(event_name text, payload jsonb) returns void language sql as $$
  insert into event_queue (name, properties) values (event_name, payload)
  on conflict (name, properties) do update set created_at = clock_timestamp(), last_attempt = null, attempts = 0;
$$;

-- The same of many things at once, in their order, for what a statement has done to thousands: one by one, that they had come
-- took as long as writing them.
create function raise_events(event_name text, payloads jsonb[]) returns void language sql as $$
  insert into event_queue (name, properties)
    select event_name, e.payload from unnest(payloads) with ordinality e (payload, place) group by e.payload order by min(e.place)
  on conflict (name, properties) do update set created_at = clock_timestamp(), last_attempt = null, attempts = 0;
$$;

create function notify_event_queue() returns trigger
language plpgsql
as $$
begin
  perform pg_notify('event_queue_updates', new.name);
  return null;
end
$$;

create trigger event_queue_announce_new
  after insert on event_queue
  for each row execute function notify_event_queue();

create trigger event_queue_announce_rearmed
  after update on event_queue
  for each row when (new.created_at is distinct from old.created_at)
  execute function notify_event_queue();

-- The agent is looked up and not joined: who only counts runs then reads an index and no run.
create view job_histories as
  select job_history.*,
         coalesce((select n.name from resource_names n
                    where n.kind = job_history.resource_type and n.id = as_id(job_history.resource_id)),
                  job_history.resource_id) as resource_name,
         (select json_build_object('id', agents.id, 'name', agents.name)
            from (select) as one left join agents on agents.id = job_history.agent_id) as agent
    from job_history;

-- From name to name through the index: reading every run to name a handful takes long where there are many.
create view job_history_names as
  with recursive names as (
    (select name from job_history order by name limit 1)
    union all
    select (select h.name from job_history h where h.name > names.name order by h.name limit 1)
      from names where names.name is not null)
  select name from names where name is not null;

create view job_history_latest_status as
  select ranked.*
    from (select job_history.*,
                 row_number() over (partition by resource_id order by created_at desc, id desc) as rn
            from job_history) ranked
   where rn = 1;

create view event_queue_summary as
  select name,
         count(*) as pending,
         count(*) filter (where error is not null) as failed,
         round(avg(attempts), 2) as average_attempts,
         min(created_at) filter (where error is not null) as first_failure,
         max(last_attempt) as last_failure,
         mode() within group (order by error) as most_common_error
    from event_queue
   group by name;

create view failed_events as
  select name,
         count(distinct error) as unique_errors,
         round(avg(attempts), 2) as average_attempts,
         count(*) as total_failed_events,
         mode() within group (order by error) as most_common_error
    from event_queue
   where error is not null and attempts > 0 and created_at >= now() - interval '7 days'
   group by name;
