-- By when a check must have its next result: past that moment its last state says nothing about now.

alter table checks add column result_due timestamptz;
comment on column checks.result_due is
  'By when the next result must be there; after that the state is unknown to every reader. Null when nothing is due by the clock.';
-- Until the next result has said it exactly: the longest usual time to run, and then some.
update checks c
   set result_due = s.next_at + interval '15 minutes'
  from schedules s
 where s.kind = 'canary' and s.key = c.canary_id::text and s.next_at is not null
   and c.last_runtime is not null and c.deleted_at is null;
