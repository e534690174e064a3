-- What checks are related to: components and catalog items. The tables of their own features that they refer to
-- (topologies, scrapers) come with those features.

create table config_items (
  id uuid primary key default generate_ulid(),
  agent_id uuid not null default '00000000-0000-0000-0000-000000000000' references agents (id),
  icon text,
  scraper_id uuid,
  config_class text not null,
  status text,
  health text,
  ready boolean,
  external_id text[],
  type text not null,
  cost_per_minute numeric(16, 4),
  cost_total_1d numeric(16, 4),
  cost_total_7d numeric(16, 4),
  cost_total_30d numeric(16, 4),
  name text,
  description text,
  config jsonb,
  source text,
  labels jsonb,
  tags jsonb,
  properties jsonb,
  parent_id uuid references config_items (id) deferrable initially deferred,
  path text,
  is_pushed boolean not null default false,
  created_by uuid,
  last_scraped_time timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz default now(),
  deleted_at timestamptz,
  delete_reason text,
  constraint config_items_name_type check (length(name) > 0 and length(type) > 0)
);
create index on config_items (parent_id);

create table components (
  id uuid primary key default generate_ulid(),
  agent_id uuid not null default '00000000-0000-0000-0000-000000000000' references agents (id),
  topology_id uuid,
  external_id text not null,
  parent_id uuid references components (id),
  config_id uuid references config_items (id),
  name text not null,
  text text,
  topology_type text,
  namespace text,
  labels jsonb,
  hidden boolean not null default false,
  silenced boolean not null default false,
  is_pushed boolean not null default false,
  status text not null,
  status_expr text,
  health_expr text,
  health text,
  description text,
  lifecycle text,
  tooltip text,
  status_reason text,
  schedule text,
  icon text,
  type text,
  owner text,
  selectors jsonb,
  log_selectors jsonb,
  component_checks jsonb,
  configs jsonb,
  properties jsonb,
  path text,
  summary jsonb,
  is_leaf boolean default false,
  cost_per_minute numeric(16, 4),
  cost_total_1d numeric(16, 4),
  cost_total_7d numeric(16, 4),
  cost_total_30d numeric(16, 4),
  created_by uuid references people (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz default now(),
  deleted_at timestamptz,
  unique (topology_id, type, name, parent_id)
);
create index on components (parent_id);
create index on components (config_id);

alter table check_component_relationships
  add constraint check_component_relationships_component_id_fkey
  foreign key (component_id) references components (id) on delete cascade;
alter table check_config_relationships
  add constraint check_config_relationships_config_id_fkey
  foreign key (config_id) references config_items (id) on delete cascade deferrable initially deferred;
