-- Which roles people have. Who was given none is a viewer; the program's own persons, which nobody signs in as, are nothing.

create view people_roles as
select p.id, p.name, p.email,
       coalesce(array_agg(r.v1 order by r.id) filter (where r.v1 is not null), '{viewer}') as roles
  from people p
  left join casbin_rule r on r.ptype = 'g' and r.v0 = p.id::text
 where r.v0 is not null
    or (p.deleted_at is null and p.type is null and (p.email is not null or p.external_id is not null))
 group by p.id;

call keep_history('casbin_rule', 'id');

call announce_changes('casbin_rule', 'v0', 'people_roles');
