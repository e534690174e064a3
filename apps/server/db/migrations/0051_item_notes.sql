-- What people note of an item, for whoever comes to it next.

create table config_notes (
  id uuid primary key default generate_ulid(),
  config_id uuid not null references config_items (id) on delete cascade,
  note text not null,
  created_by uuid not null references people (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index config_notes_of_item on config_notes (config_id, created_at desc);
create index config_notes_of_person on config_notes (created_by);
