-- What every table stands on: ids that sort by time, the views' log, and the outbox and history of the platform.

create function generate_ulid() returns uuid
language sql volatile parallel safe
as $$
  select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
          || substr(replace(gen_random_uuid()::text, '-', ''), 1, 11)
          || substr(replace(gen_random_uuid()::text, '-', ''), 1, 9))::uuid
$$;

create table migration_logs (
  path text primary key,
  hash text not null,
  updated_at timestamptz not null default now()
);

create table event_queue (
  id uuid primary key default generate_ulid(),
  name text not null,
  properties jsonb,
  error text,
  delay bigint,
  created_at timestamptz not null default now(),
  last_attempt timestamptz,
  attempts int default 0,
  priority int not null default 100,
  unique (name, properties)
);
create index event_queue_next on event_queue (priority desc, created_at) where attempts <= 3;

create table job_history (
  id uuid primary key default generate_ulid(),
  agent_id uuid not null default '00000000-0000-0000-0000-000000000000',
  name text,
  success_count int,
  error_count int,
  details jsonb,
  hostname text,
  duration_millis int,
  resource_type text,
  resource_id text,
  status text,
  time_start timestamptz,
  time_end timestamptz,
  created_at timestamptz not null default now(),
  is_pushed boolean not null default false
);
create index on job_history (resource_id);
create index on job_history (status);
create index on job_history (name, resource_id, created_at desc);
create index on job_history (created_at);

-- Servers that do work. A claim counts only while the server that made it keeps its row fresh.
create table workers (
  id uuid primary key,
  hostname text not null,
  pid int not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- What is due by the clock: one row per thing, claimed for one slot by one worker.
create table schedules (
  kind text not null,
  key text not null,
  schedule text not null,
  time_zone text,
  -- The slot that comes next; null when it never comes.
  next_at timestamptz,
  -- The slot that is being run, and by whom.
  slot timestamptz,
  claimed_by uuid,
  claimed_at timestamptz,
  primary key (kind, key)
) with (fillfactor = 70);
create index schedules_due on schedules (next_at) where next_at is not null and claimed_by is null;
create index schedules_claimed on schedules (claimed_by) where claimed_by is not null;
