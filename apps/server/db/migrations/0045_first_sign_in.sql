-- Who has never signed in is invited, and nothing else: lists and the pages of an invitation say so.
alter table identities add column first_sign_in_at timestamptz;
comment on column identities.first_sign_in_at is 'When somebody signed in as this identity for the first time. Null of who is only invited.';
update identities set first_sign_in_at = people.last_login
  from people where people.id = identities.id and people.last_login is not null;
