-- Which roles people have.

create view people_roles as
select p.id, p.name, p.email, array_agg(r.v1 order by r.id) as roles
  from people p
  join casbin_rule r on r.ptype = 'g' and r.v0 = p.id::text
 group by p.id;

call keep_history('casbin_rule', 'id');

call announce_changes('casbin_rule', 'v0', 'people_roles');
