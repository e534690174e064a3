-- What a change is about is kept with it: the history of one resource is looked up, and not computed for every row there is.
alter table audit_log add column resource_type text, add column resource_id uuid;

update audit_log l
   set resource_type = k.kind,
       resource_id = substring(case l.table_name when 'casbin_rule' then coalesce(l.after, l.before) ->> 'v0' else l.row_id end
                               from '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$')::uuid
  from (values ('teams', 'team'), ('team_members', 'team'), ('people', 'person'), ('casbin_rule', 'person'),
               ('identities', 'person'), ('identity_credentials', 'person'), ('identity_keys', 'person'),
               ('identity_codes', 'person'), ('access_tokens', 'access_token'), ('agents', 'agent'),
               ('config_items', 'configs'), ('components', 'components'), ('canaries', 'canary'), ('checks', 'check'))
       k (table_name, kind)
 where k.table_name = l.table_name;

create index on audit_log (resource_type, resource_id, created_at, id);
