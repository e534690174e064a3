-- A run that could not try its target says nothing about it; and how far a streak is from changing the status is told.

comment on column check_statuses.status is
  'Whether the run passed; null when the target could not be tried, which counts neither way. The error says why.';
alter table check_totals
  add column untried text,
  add column needed int;
comment on column check_totals.untried is 'Why the last run could not try its target; null when it did.';
comment on column check_totals.needed is 'Runs in a row, of the kind that the streak is of, that decide the status.';
