-- Who people are: identities and their secrets and sessions; people and their roles as the product sees them.

create table identities (
  id uuid primary key default generate_ulid(),
  schema_id text not null default 'default',
  traits jsonb not null,
  state text not null default 'active' check (state in ('active', 'inactive')),
  state_changed_at timestamptz not null default now(),
  metadata_public jsonb,
  metadata_admin jsonb,
  nid uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index identities_email on identities (lower(traits ->> 'email'));

create table identity_credentials (
  id uuid primary key default generate_ulid(),
  identity_id uuid not null references identities (id) on delete cascade,
  type text not null,
  config jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (identity_id, type)
);

create table identity_flows (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  type text not null check (type in ('browser', 'api')),
  state jsonb not null,
  csrf_hash text,
  return_to text,
  issued_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index on identity_flows (expires_at);

create table identity_sessions (
  id uuid primary key default gen_random_uuid(),
  identity_id uuid not null references identities (id) on delete cascade,
  -- SHA-256 of the token that the client holds; the token itself is not kept.
  token_hash text not null unique,
  aal text not null default 'aal1',
  authentication_methods jsonb not null default '[]',
  devices jsonb not null default '[]',
  active boolean not null default true,
  authenticated_at timestamptz not null default now(),
  issued_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_seen_at timestamptz not null default now()
);
create index on identity_sessions (identity_id);
create index on identity_sessions (expires_at);

create table people (
  id uuid primary key default generate_ulid(),
  name text not null,
  avatar text,
  type text,
  team_id uuid,
  organization text,
  title text,
  email text,
  phone text,
  properties jsonb,
  external_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  last_login timestamptz
);
create unique index people_email on people (email) where deleted_at is null;
create index on people (external_id);

create table casbin_rule (
  id bigserial primary key,
  ptype varchar(100) not null,
  v0 varchar(100) not null,
  v1 varchar(100) not null,
  v2 varchar(100),
  v3 varchar(100),
  v4 varchar(100),
  v5 varchar(100)
);
create unique index on casbin_rule (ptype, v0, v1, v2, v3, v4, v5) nulls not distinct;
create index on casbin_rule (v0);

create table properties (
  name text primary key,
  value text not null,
  created_by uuid references people (id),
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  deleted_at timestamptz
);

create table agents (
  id uuid primary key default generate_ulid(),
  name text not null,
  hostname text,
  description text,
  ip text,
  version text,
  username text,
  person_id uuid,
  properties jsonb,
  tls text,
  created_by uuid references people (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  cleanup boolean not null default false,
  deleted_at timestamptz,
  last_seen timestamptz,
  last_received timestamptz
);
create unique index agents_name on agents (name) where deleted_at is null;
insert into agents (id, name) values ('00000000-0000-0000-0000-000000000000', 'local');
insert into people (name) values ('System');
