-- The runs of a canary are one row of the job history for each hour, which its further runs are added to.
create unique index job_history_canary_hour
  on job_history (resource_id, date_bin('1 hour', created_at, timestamptz '1970-01-01 00:00:00+00'))
  where name = 'Canary' and resource_type = 'canary';
-- Such a row is changed at every run: with room beside it, its indexes are not.
alter table job_history set (fillfactor = 50);
