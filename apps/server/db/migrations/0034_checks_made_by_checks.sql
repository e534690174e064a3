-- Checks that the transform of another check makes of its results belong to that one, and go with it.

alter table checks add column parent_id uuid references checks (id) on delete cascade;
create index checks_parent_id_idx on checks (parent_id) where parent_id is not null;
