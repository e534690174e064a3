-- Teams and who is in them.

create table teams (
  id uuid primary key default generate_ulid(),
  name text not null,
  icon text,
  spec jsonb,
  source text,
  created_by uuid not null references people (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
-- The name of a deleted team is free again.
create unique index teams_name on teams (name) where deleted_at is null;

create table team_members (
  team_id uuid not null references teams (id),
  person_id uuid not null references people (id),
  primary key (team_id, person_id)
);
create index on team_members (person_id);

update people set team_id = null where team_id is not null;
alter table people add constraint people_team_id_fkey foreign key (team_id) references teams (id);
create index on people (team_id);
