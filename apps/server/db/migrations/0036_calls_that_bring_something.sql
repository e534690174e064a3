-- What the last call of a webhook brought, for its scripts and for people.
alter table check_beats add column last_call jsonb;
comment on column check_beats.last_call is
  'Headers and body of the last call, of checks that look at them. Null for all others.';
