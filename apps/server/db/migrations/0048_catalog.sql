-- The catalog: scrapers, what they find, how it hangs together, what changed and what was found wrong about it.

create table config_scrapers (
  id uuid primary key default generate_ulid(),
  description text,
  name text not null,
  namespace text not null default 'default',
  labels jsonb,
  annotations jsonb,
  spec jsonb not null,
  sealed jsonb not null default '{}',
  source source not null default 'UI',
  kept_in text,
  created_by uuid references people (id),
  agent_id uuid not null default '00000000-0000-0000-0000-000000000000' references agents (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  is_pushed boolean not null default false
);
create unique index config_scrapers_name on config_scrapers (agent_id, namespace, name)
  where deleted_at is null and agent_id = '00000000-0000-0000-0000-000000000000';
create index on config_scrapers (agent_id);

-- What an item is, is short and read in long lists; what is configured is long and read of one at a time.
alter table config_items set (toast_tuple_target = 256);
alter table config_items add foreign key (scraper_id) references config_scrapers (id);
create index config_items_alive on config_items (type, name) where deleted_at is null;
create index on config_items (scraper_id);
create index on config_items using gin (external_id);
create index on config_items using gin (tags jsonb_path_ops);
create index on config_items (path text_pattern_ops);
create index on config_items (agent_id, name, type, config_class);
create index on config_items (deleted_at) where deleted_at is not null;
-- Parts of names, wherever they stand.
create schema extensions;
create extension pg_trgm schema extensions;
create index config_items_texts on config_items using gin (
  name extensions.gin_trgm_ops, type extensions.gin_trgm_ops, description extensions.gin_trgm_ops,
  (tags ->> 'namespace') extensions.gin_trgm_ops);

-- What the scraper last saw of an item: by the digest an item that has not changed is told without reading it. Beside
-- the item, because this is written at every scrape.
create table config_item_scrapes (
  config_id uuid primary key references config_items (id) on delete cascade,
  scraper_id uuid not null,
  seen_at timestamptz not null,
  digest bytea not null,
  -- It names others that are not in the catalog yet.
  is_waiting boolean not null default false
) with (fillfactor = 70);
create index on config_item_scrapes (scraper_id, seen_at);

-- An item as it was: `back` (RFC 6902) makes of what is configured after `changed_at` what was before it; `was` holds the
-- other columns that were different.
create table config_item_versions (
  config_id uuid not null references config_items (id) on delete cascade,
  changed_at timestamptz not null,
  back jsonb,
  was jsonb,
  primary key (config_id, changed_at)
);

create table config_relationships (
  config_id uuid not null references config_items (id) deferrable initially deferred,
  related_id uuid not null references config_items (id) deferrable initially deferred,
  relation text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  selector_id text,
  is_pushed boolean not null default false,
  unique nulls not distinct (related_id, config_id, relation)
);
create index on config_relationships (config_id, related_id) where deleted_at is null;
create index on config_relationships (deleted_at) where deleted_at is not null;

create table config_changes (
  id uuid primary key default generate_ulid(),
  config_id uuid not null references config_items (id) deferrable initially deferred,
  external_change_id text,
  external_created_by text,
  change_type text,
  severity text,
  source text,
  summary text,
  patches jsonb,
  diff text,
  details jsonb,
  created_by uuid,
  created_at timestamptz not null default now(),
  count int not null default 1,
  fingerprint text,
  first_observed timestamptz not null default now(),
  is_pushed boolean not null default false,
  unique (config_id, external_change_id)
) with (toast_tuple_target = 256);
create index on config_changes (config_id, created_at desc);
create index on config_changes (created_at desc);
create index on config_changes (change_type, created_at desc);
create index on config_changes (fingerprint) where fingerprint is not null;

-- Changes of the last 30 days by item, type and severity: what long lists show. `config_change_window` says from when on
-- they are counted; what lies before it has been taken out again.
create table config_change_totals (
  config_id uuid not null references config_items (id) on delete cascade deferrable initially deferred,
  change_type text not null,
  severity text not null,
  total int not null,
  primary key (config_id, change_type, severity)
) with (fillfactor = 80);
create table config_change_window (since timestamptz not null);
insert into config_change_window values (now() - interval '30 days');

-- The tags and labels of items that are not deleted, and how many have them: filters offer them all, at once.
create table config_facets (
  kind text not null check (kind in ('tag', 'label')),
  key text not null,
  value text not null,
  items int not null,
  primary key (kind, key, value)
) with (fillfactor = 80);

create table config_analysis (
  id uuid primary key default generate_ulid(),
  config_id uuid not null references config_items (id) deferrable initially deferred,
  scraper_id uuid,
  created_by uuid references people (id),
  source text,
  analyzer text not null,
  analysis_type text,
  severity text,
  summary text,
  status text default 'open',
  message text,
  analysis jsonb,
  properties jsonb,
  external_analysis_id text,
  first_observed timestamptz not null default now(),
  last_observed timestamptz,
  is_pushed boolean not null default false
) with (toast_tuple_target = 256);
create index on config_analysis (config_id, analyzer);
create index on config_analysis (config_id) include (analysis_type, severity) where status = 'open';
create index on config_analysis (first_observed desc);
create index on config_analysis (last_observed desc);
create index on config_analysis (scraper_id);

create table config_component_relationships (
  component_id uuid not null references components (id) on delete cascade,
  config_id uuid not null references config_items (id) on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz default now(),
  deleted_at timestamptz,
  selector_id text,
  is_pushed boolean not null default false,
  unique (component_id, config_id)
);
create index on config_component_relationships (config_id);
