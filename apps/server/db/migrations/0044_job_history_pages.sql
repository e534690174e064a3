-- Pages of a long job history are counted from an index alone, and the last run of a resource is found without reading the others.
create index job_history_time on job_history (created_at desc, id desc) include (status, name, resource_type);
drop index job_history_created_at_idx;
create index job_history_of_resource on job_history (resource_id, created_at desc, id desc);
drop index job_history_resource_id_idx;
create index job_history_last_failure on job_history (resource_id, coalesce(failed_at, time_start))
 where status = 'FAILED' or failed_at is not null;
-- What did not go well is little, and asked for first.
create index job_history_unsuccessful on job_history (created_at desc, id desc) include (status, name, resource_type)
 where status <> 'SUCCESS';
