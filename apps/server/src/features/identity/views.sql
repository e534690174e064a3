-- An identity has a person of the same id, who goes by the identity's name and address.

create function person_name(traits jsonb) returns text
language sql immutable
as $$
  select coalesce(nullif(trim(concat_ws(' ', traits #>> '{name,first}', traits #>> '{name,last}')), ''),
                  traits ->> 'email', 'Unnamed')
$$;

create function identity_to_person() returns trigger
language plpgsql security definer set search_path = public
as $$
begin
  case tg_op
    when 'INSERT' then
      insert into people (id, name, email)
      values (new.id, person_name(new.traits), new.traits ->> 'email');
    when 'UPDATE' then
      update people set name = person_name(new.traits), email = new.traits ->> 'email', updated_at = now()
       where id = new.id
         and (name, email) is distinct from (person_name(new.traits), new.traits ->> 'email');
    when 'DELETE' then
      perform delete_person(old.id);
  end case;
  return null;
end
$$;

create trigger identity_to_person after insert or update of traits or delete on identities
for each row execute function identity_to_person();
