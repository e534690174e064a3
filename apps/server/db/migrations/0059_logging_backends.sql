-- Logging backends: documents that say which programs hold log lines, and what they are asked for.
create table logging_backends (
  id uuid primary key default generate_ulid(),
  agent_id uuid not null default '00000000-0000-0000-0000-000000000000' references agents (id),
  name text not null,
  namespace text not null default 'default',
  labels jsonb,
  annotations jsonb,
  spec jsonb not null,
  sealed jsonb not null default '{}',
  source source not null default 'UI',
  kept_in text,
  created_by uuid references people (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz default now(),
  deleted_at timestamptz
);
create unique index logging_backends_name on logging_backends (agent_id, namespace, name)
  where deleted_at is null and agent_id = '00000000-0000-0000-0000-000000000000';
create index on logging_backends (agent_id);
