-- Teams with the last of their background jobs.

call keep_updated_at('teams');
call keep_history('teams', 'id', '{updated_at}');
call keep_history('team_members', 'team_id');

create view teams_with_status as
  select t.*,
         j.name as job_name, j.success_count as job_success_count, j.error_count as job_error_count,
         j.details as job_details, j.hostname as job_hostname, j.duration_millis as job_duration_millis,
         j.resource_type as job_resource_type, j.status as job_status, j.time_start as job_time_start,
         j.time_end as job_time_end, j.created_at as job_created_at,
         (select max(f.time_start) from job_history f
           where f.resource_type = 'team' and f.resource_id = t.id::text and f.status = 'FAILED') as job_last_failed
    from teams t
    left join lateral (select h.* from job_history h
                        where h.resource_type = 'team' and h.resource_id = t.id::text
                        order by h.created_at desc, h.id desc limit 1) j on true
   where t.deleted_at is null;

call announce_changes('teams', 'id');
call announce_changes('team_members', 'team_id');
