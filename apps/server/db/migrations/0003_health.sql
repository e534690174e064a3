-- Health checks: documents, checks, results by time, and the running totals that any range is read from.

create table canaries (
  id uuid primary key default generate_ulid(),
  agent_id uuid not null default '00000000-0000-0000-0000-000000000000' references agents (id),
  name text not null,
  namespace text not null,
  labels jsonb,
  annotations jsonb,
  spec jsonb not null,
  source text,
  is_pushed boolean not null default false,
  created_at timestamptz default now(),
  created_by uuid references people (id),
  updated_at timestamptz default now(),
  deleted_at timestamptz
);
create unique index canaries_identity on canaries (agent_id, name, namespace, source)
  where deleted_at is null and agent_id = '00000000-0000-0000-0000-000000000000';
create index on canaries (source);

create table checks (
  id uuid primary key default generate_ulid(),
  canary_id uuid not null references canaries (id) on delete cascade,
  agent_id uuid not null default '00000000-0000-0000-0000-000000000000' references agents (id),
  type text not null,
  name text not null,
  namespace text,
  description text,
  icon text,
  spec jsonb,
  labels jsonb,
  owner text,
  severity text,
  category text,
  is_pushed boolean not null default false,
  transformed boolean,
  last_runtime timestamptz,
  last_transition_time timestamptz,
  next_runtime timestamptz,
  silenced_at timestamptz,
  status text,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  deleted_at timestamptz,
  unique (canary_id, type, name, agent_id)
) with (fillfactor = 70);
create index on checks (agent_id);
create index on checks (deleted_at) where deleted_at is not null;

create table check_statuses (
  check_id uuid not null references checks (id) on delete cascade,
  details jsonb,
  duration int,
  error text,
  time timestamptz not null,
  created_at timestamptz not null default now(),
  invalid boolean,
  message text,
  status boolean,
  severity text,
  is_pushed boolean not null default false,
  primary key (check_id, time)
) partition by range (time);
-- Catches what a jumping clock dates outside the daily partitions.
create table check_statuses_default partition of check_statuses default;
create index on check_statuses using brin (time);

-- One row per check: everything counted since its first run, and the streak that decides its state.
create table check_totals (
  check_id uuid primary key references checks (id) on delete cascade,
  passed bigint not null default 0,
  failed bigint not null default 0,
  -- Sum of durations in milliseconds.
  duration bigint not null default 0,
  -- Runs by latency bucket; the bounds are in contract/src/latency-buckets.ts. The array begins at the lowest bucket
  -- that was ever hit, so that it stays short.
  latency int[] not null default '{}',
  streak int not null default 0,
  streak_passed boolean,
  -- The last state that was healthy (true) or unhealthy (false).
  settled boolean,
  first_time timestamptz,
  last_time timestamptz,
  last_pass timestamptz,
  last_fail timestamptz,
  message text,
  error text,
  -- The last runs, oldest first, as pieces of JSON of one length each, so that the oldest is cut off by its place.
  recent text not null default '',
  -- What is checked, for people; known to its check type only, so it is kept from when the document was saved.
  endpoint text,
  -- Why it is not run, when it is not.
  held text
) with (fillfactor = 60);

-- The totals as they were before the first run at or after `time`. A range is the difference of two of them, so no
-- range scans its rows. One table per step, so that the fine ones can be dropped early.
create table check_totals_5m (
  check_id uuid not null,
  time timestamptz not null,
  passed bigint not null,
  failed bigint not null,
  duration bigint not null,
  latency int[] not null,
  primary key (check_id, time)
) partition by range (time);
create table check_totals_5m_default partition of check_totals_5m default;
create index on check_totals_5m (time);
create table check_totals_1h (
  check_id uuid not null,
  time timestamptz not null,
  passed bigint not null,
  failed bigint not null,
  duration bigint not null,
  latency int[] not null,
  primary key (check_id, time)
);
create index on check_totals_1h (time);
create table check_totals_1d (
  check_id uuid not null,
  time timestamptz not null,
  passed bigint not null,
  failed bigint not null,
  duration bigint not null,
  latency int[] not null,
  primary key (check_id, time)
);
create index on check_totals_1d (time);

-- What the health summary shows has changed whenever one of these has: a row per writer of results, and one named
-- `documents` for everything else about canaries and checks.
create table health_versions (
  source text primary key,
  version bigint not null default 1,
  changed_at timestamptz not null default now()
) with (fillfactor = 50);
insert into health_versions (source) values ('documents');

-- Calls from outside that a heartbeat check waits for.
create table check_beats (
  check_id uuid primary key references checks (id) on delete cascade,
  -- SHA-256 of the token in the address that is called.
  token_hash text not null unique,
  -- The token stands in the document and is changed there only.
  from_spec boolean not null default false,
  created_at timestamptz not null default now(),
  last_beat timestamptz
);

create table check_component_relationships (
  component_id uuid not null,
  check_id uuid not null references checks (id) on delete cascade,
  canary_id uuid not null references canaries (id) on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  selector_id text,
  is_pushed boolean not null default false,
  unique (component_id, check_id, canary_id, selector_id)
);
create index on check_component_relationships (check_id);
create table check_config_relationships (
  config_id uuid not null,
  check_id uuid not null references checks (id) on delete cascade,
  canary_id uuid not null references canaries (id) on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  selector_id text,
  is_pushed boolean not null default false,
  unique (config_id, check_id, canary_id, selector_id)
);
create index on check_config_relationships (check_id);
