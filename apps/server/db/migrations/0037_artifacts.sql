-- Files that runs leave: kept with their results until they expire, their bytes beside them so that every server has them.

create table artifacts (
  id uuid primary key default generate_ulid(),
  check_id uuid references checks (id) on delete cascade,
  -- The time of the result that it belongs to. Not a foreign key: results go by the day, and the clean-up follows.
  check_time timestamptz,
  -- Of an action of a playbook; the table is not there yet.
  playbook_run_action_id uuid,
  -- The store that has the bytes; null is this database.
  connection_id uuid,
  path text not null,
  filename text not null,
  content_type text,
  size int not null,
  -- SHA-256 of what is kept.
  checksum text not null,
  is_pushed boolean not null default false,
  is_data_pushed boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  expires_at timestamptz
);
create index on artifacts (check_id, check_time);
create index on artifacts (expires_at);

create table artifact_pieces (
  artifact_id uuid not null references artifacts (id) on delete cascade,
  position int not null,
  bytes bytea not null,
  primary key (artifact_id, position)
);
