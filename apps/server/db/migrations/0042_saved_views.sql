-- The views of a page that people save for themselves: what its address says, under a name.

create table saved_views (
  id uuid primary key default generate_ulid(),
  person_id uuid not null references people (id) on delete cascade,
  page text not null,
  name text not null,
  search text not null,
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (person_id, page, name)
);

create unique index saved_views_default on saved_views (person_id, page) where is_default;
