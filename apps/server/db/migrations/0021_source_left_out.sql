-- What a client leaves out of a row's source stays out, and counts as the console's: clients lock whatever has another text there.
drop index canaries_identity;
-- Two that were told apart by nothing but that.
update canaries c set name = left(c.name, 200) || '-' || left(replace(c.id::text, '-', ''), 12)
 where c.source is null and exists (select from canaries o where o.id <> c.id and o.source = 'UI'
       and (o.agent_id, o.name, o.namespace) = (c.agent_id, c.name, c.namespace));
update canaries set source = null where source in ('UI', '');
update teams set source = null where source in ('UI', '');
update canaries set source = 'a file, with mainstay apply' where source = 'apply';
update canaries set source = 'Mainstay itself' where source = 'mainstay';
create unique index canaries_identity on canaries (agent_id, name, namespace, coalesce(source, 'UI'))
  where deleted_at is null and agent_id = '00000000-0000-0000-0000-000000000000';
