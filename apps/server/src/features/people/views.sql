-- People and what they may do.

create function delete_person(person_id uuid) returns void
language sql
as $$
  delete from casbin_rule where ptype = 'g' and v0 = person_id::text;
  update people set deleted_at = now() where id = person_id and deleted_at is null;
$$;

create view people_roles as
select p.id, p.name, p.email, array_agg(r.v1 order by r.id) as roles
  from people p
  join casbin_rule r on r.ptype = 'g' and r.v0 = p.id::text
 group by p.id;

create trigger record_change after insert or update or delete on people
for each row when (current_setting('mainstay.actor', true) <> '')
execute function record_change('id', 'updated_at', 'external_id');

create trigger record_change after insert or update or delete on casbin_rule
for each row when (current_setting('mainstay.actor', true) <> '') execute function record_change('id');
