-- Access to other systems: address, credentials and what else one needs, under a name that documents refer to.
create type source as enum ('KubernetesCRD', 'ConfigFile', 'UI', 'Topology', 'Push', 'CRDSync');

create table connections (
  id uuid primary key default generate_ulid(),
  name text not null,
  namespace text not null default 'default',
  type text not null,
  url text,
  source source,
  kept_in text,
  username text,
  password text,
  certificate text,
  properties jsonb,
  insecure_tls boolean default false,
  labels jsonb,
  annotations jsonb,
  sealed jsonb not null default '{}',
  created_by uuid references people (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index connections_name_namespace on connections (name, namespace) where deleted_at is null;
create index on connections (created_by);
