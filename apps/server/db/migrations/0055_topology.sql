-- Topologies: documents that say which components there are, what hangs on them, and how they were.
create table topologies (
  id uuid primary key default generate_ulid(),
  agent_id uuid not null default '00000000-0000-0000-0000-000000000000' references agents (id),
  name text not null,
  namespace text not null default 'default',
  labels jsonb,
  annotations jsonb,
  spec jsonb not null,
  sealed jsonb not null default '{}',
  schedule text,
  source source not null default 'UI',
  kept_in text,
  created_by uuid references people (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz default now(),
  deleted_at timestamptz,
  is_pushed boolean not null default false
);
create unique index topologies_name on topologies (agent_id, namespace, name)
  where deleted_at is null and agent_id = '00000000-0000-0000-0000-000000000000';
create index on topologies (agent_id);

-- `status`, `health` and `summary` say what a component comes to with all that hangs on it; `given_…` what its source
-- says of it alone.
alter table components
  add column given_status text,
  add column given_health text,
  add column given_summary jsonb,
  add column position int not null default 0,
  add foreign key (topology_id) references topologies (id);
create index on components (topology_id);
create index on components (agent_id);
create index on components (deleted_at) where deleted_at is not null;
create index on components using gin (properties jsonb_path_ops);
create index on components (name);

-- A component below others than its parent: `relationship_id` is above, `component_id` below.
create table component_relationships (
  component_id uuid not null references components (id) on delete cascade,
  relationship_id uuid not null references components (id) on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  selector_id text,
  relationship_path text,
  is_pushed boolean not null default false,
  unique (component_id, relationship_id, selector_id)
);
create index on component_relationships (relationship_id) where deleted_at is null;

create table team_components (
  team_id uuid not null references teams (id) on delete cascade,
  component_id uuid not null references components (id) on delete cascade,
  role text,
  selector_id text,
  primary key (team_id, component_id),
  unique (team_id, component_id, selector_id)
);
create index on team_components (component_id);

-- How components were: a row from the moment on at which it changed; without health and status it was gone.
create table component_states (
  component_id uuid not null references components (id) on delete cascade,
  time timestamptz not null,
  health text,
  status text,
  primary key (component_id, time)
);
create index on component_states (time);
create index on config_component_relationships (component_id) where deleted_at is null;
create index on check_component_relationships (component_id) where deleted_at is null;
