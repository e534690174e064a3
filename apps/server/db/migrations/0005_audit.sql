-- Who changed what: one row for each row that a person changed, or a program on a person's behalf.
create table audit_log (
  id uuid primary key default generate_ulid(),
  created_at timestamptz not null default now(),
  actor_id uuid references people (id),
  actor_name text not null,
  address text,
  request_id text,
  verb text not null check (verb in ('insert', 'update', 'delete')),
  table_name text not null,
  row_id text not null,
  before jsonb,
  after jsonb
);
create index on audit_log (created_at);
create index on audit_log (table_name, row_id, created_at);
create index on audit_log (actor_id, created_at);
