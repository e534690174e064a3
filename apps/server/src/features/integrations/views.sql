-- What brings things in: scrapers, topologies and log backends, which have no runs.
create view integrations_with_status as
  select s.id, s.name, s.namespace, s.description, 'scrapers' as integration_type, s.source, s.agent_id, s.created_by,
         s.created_at, s.updated_at, s.deleted_at, s.job_name, s.job_success_count, s.job_error_count, s.job_details,
         s.job_hostname, s.job_duration_millis, s.job_resource_type, s.job_status, s.job_time_start, s.job_time_end,
         s.job_created_at, s.job_last_failed, s.agent, p.name as creator_name, p.avatar as creator_avatar,
         p.title as creator_title, p.email as creator_email
    from config_scrapers_with_status s left join people p on p.id = s.created_by
  union all
  select t.id, t.name, t.namespace, null, 'topologies', t.source, t.agent_id, t.created_by, t.created_at, t.updated_at,
         t.deleted_at, t.job_name, t.job_success_count, t.job_error_count, t.job_details, t.job_hostname,
         t.job_duration_millis, t.job_resource_type, t.job_status, t.job_time_start, t.job_time_end, t.job_created_at,
         t.job_last_failed, t.agent, p.name, p.avatar, p.title, p.email
    from topologies_with_status t left join people p on p.id = t.created_by
  union all
  select b.id, b.name, b.namespace, null, 'logging_backends', b.source, b.agent_id, b.created_by, b.created_at, b.updated_at,
         b.deleted_at, '', 0, 0, null, '', 0, '', '', null, null, null, null, null, p.name, p.avatar, p.title, p.email
    from logging_backends b left join people p on p.id = b.created_by;
