-- What brings things in: scrapers and topologies. Log backends stand here too as soon as there are such documents.
create view integrations_with_status as
  select s.id, s.name, s.namespace, s.description, 'scrapers' as integration_type, s.source, s.agent_id, s.created_by,
         s.created_at, s.updated_at, s.deleted_at,
         j.name as job_name, j.success_count as job_success_count, j.error_count as job_error_count,
         j.details as job_details, j.hostname as job_hostname, j.duration_millis as job_duration_millis,
         j.resource_type as job_resource_type, j.status as job_status, j.time_start as job_time_start,
         j.time_end as job_time_end, j.created_at as job_created_at,
         (select max(f.time_start) from job_history f
           where f.resource_type = 'config_scraper' and f.resource_id = s.id::text and f.name = 'Scraper'
             and f.status = 'FAILED') as job_last_failed,
         (select json_build_object('id', agents.id, 'name', agents.name)
            from (select) as one left join agents on agents.id = s.agent_id) as agent
    from config_scrapers s
    left join lateral (select h.* from job_history h
                        where h.resource_type = 'config_scraper' and h.resource_id = s.id::text and h.name = 'Scraper'
                        order by h.created_at desc, h.id desc limit 1) j on true
   where s.deleted_at is null
  union all
  select t.id, t.name, t.namespace, null, 'topologies', t.source, t.agent_id, t.created_by, t.created_at, t.updated_at,
         t.deleted_at, t.job_name, t.job_success_count, t.job_error_count, t.job_details, t.job_hostname,
         t.job_duration_millis, t.job_resource_type, t.job_status, t.job_time_start, t.job_time_end, t.job_created_at,
         t.job_last_failed, t.agent
    from topologies_with_status t;
