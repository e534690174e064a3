-- An identity has a person of the same id, who goes by the identity's name and address.

create function person_name(traits jsonb) returns text
language sql immutable
as $$
  select coalesce(nullif(trim(concat_ws(' ', traits #>> '{name,first}', traits #>> '{name,last}')), ''),
                  traits ->> 'email', 'Unnamed')
$$;

create function identity_to_person() returns trigger
language plpgsql security definer set search_path = public, pg_temp
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

-- An identity has the address of its traits; another address has to be verified again.
create function identity_to_address() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  delete from identity_addresses
   where identity_id = new.id and value is distinct from new.traits ->> 'email';
  insert into identity_addresses (identity_id, value)
  select new.id, new.traits ->> 'email' where new.traits ->> 'email' <> ''
  on conflict (identity_id) do nothing;
  return null;
end
$$;

create trigger identity_to_address after insert or update of traits on identities
for each row execute function identity_to_address();

-- Names and addresses are written down with the person.
call keep_history('identities', 'id', '{updated_at, state_changed_at, first_sign_in_at, traits, metadata_admin}',
  verbs => 'update of state');

-- That somebody got or lost a way to sign in, not what it is; the row is the person's.
call keep_history('identity_credentials', 'identity_id', '{id, config, created_at, updated_at}',
  verbs => 'insert or delete');
call keep_history('identity_keys', 'identity_id',
  '{credential_id, public_key, counter, transports, created_at, last_used_at}', verbs => 'insert or delete');

-- That a link was made with which somebody could sign in, and until when.
call keep_history('identity_codes', 'identity_id',
  '{id, flow_id, identity_id, address, secret_hash, issued_at, used_at}',
  verbs => 'insert', only_when => 'new.flow_id is null');

call announce_changes('identities', 'id');
call announce_changes('unmailed_invitations', 'identity_id', 'identities');

-- Whoever is signed out hears and sees nothing more: open streams of theirs end, and are asked anew who they are.
create function announce_sign_out() returns trigger language plpgsql as $$
begin
  call announce('identities', array[new.identity_id::text]);
  return null;
end $$;
create trigger announce_sign_out after update of active on identity_sessions for each row
  when (old.active and not new.active) execute function announce_sign_out();
