-- People as the product sees them.

create function delete_person(person_id uuid) returns void
language sql
as $$
  delete from casbin_rule where ptype = 'g' and v0 = person_id::text;
  delete from team_members where team_members.person_id = delete_person.person_id;
  update people set deleted_at = now() where id = delete_person.person_id and deleted_at is null;
$$;

call keep_history('people', 'id', '{updated_at, last_login, external_id}');

call announce_changes('people', 'id', leave_out => '{updated_at, last_login}');
