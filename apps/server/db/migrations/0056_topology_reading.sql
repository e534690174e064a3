-- What tells that components have to be judged anew, or are shown otherwise, and what was wrong when they were judged.

-- A row per connection to the database, so that nobody waits for anybody: what is written by one is one after the other.
-- `inputs` counts changes of what the judgement of components is made of, `shown` changes of all that is shown of them.
create table topology_versions (
  source int primary key,
  inputs bigint not null default 0,
  shown bigint not null default 0,
  changed_at timestamptz not null default now()
) with (fillfactor = 50);

-- Up to which changes components are judged: one row.
create table topology_judged (
  is_one boolean primary key default true check (is_one),
  inputs text not null default '',
  judged_at timestamptz not null default now()
);
insert into topology_judged default values;

-- Scripts of the component that failed, and ties that close a circle and do not count.
alter table components add column roll_up_fault text;
