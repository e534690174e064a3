-- A row of the job history that stands for many runs says when one of them failed last, whatever came of those after it.
alter table job_history add column failed_at timestamptz;
comment on column job_history.failed_at is
  'Of a row that stands for many runs: when the last of those that failed began. Null when none did, and in all other rows.';
update job_history set failed_at = time_start
 where name = 'Canary' and resource_type = 'canary' and status = 'FAILED';
