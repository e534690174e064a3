-- What the hosted provider says of people, beside what is said of them here.
create table hosted_people (
  person_id uuid primary key references people (id) on delete cascade,
  -- The provider's word when they were last seen.
  role text not null check (role in ('admin', 'member')),
  -- They are an administrator by that word alone, and cease to be one with it.
  brought_admin boolean not null,
  updated_at timestamptz not null default now()
);

-- Until now it lay among the properties, which people write themselves.
insert into hosted_people (person_id, role, brought_admin)
select id, properties ->> 'role', properties ->> 'role' = 'admin'
  from people
 where external_id is not null and properties ->> 'role' in ('admin', 'member');

update people set properties = properties - 'role'
 where id in (select person_id from hosted_people);
