-- Writes down a change of a row when somebody stands behind the transaction (see actorSetting). The first argument is
-- the key column, the others are columns that are left out: secrets, and what changes by itself. Of an update only
-- what has changed is kept; of what is sealed (platform/sealing) only which paths have.
create function record_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  actor jsonb := current_setting('mainstay.actor')::jsonb;
  was jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) - 'sealed' - tg_argv[1:] end;
  is_now jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) - 'sealed' - tg_argv[1:] end;
  key text := coalesce(to_jsonb(new), to_jsonb(old)) ->> tg_argv[0];
  before_values jsonb := was;
  after_values jsonb := is_now;
  secrets jsonb;
begin
  if tg_op = 'DELETE' then key := to_jsonb(old) ->> tg_argv[0]; end if;
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(name, was -> name), jsonb_object_agg(name, is_now -> name) into before_values, after_values
      from jsonb_object_keys(is_now) name where was -> name is distinct from is_now -> name;
    select jsonb_build_object('sealed', jsonb_agg(path order by path)) into secrets
      from jsonb_object_keys((to_jsonb(old) -> 'sealed') || (to_jsonb(new) -> 'sealed')) path
     where to_jsonb(old) -> 'sealed' -> path is distinct from to_jsonb(new) -> 'sealed' -> path
    having count(*) > 0;
    after_values := coalesce(after_values || secrets, after_values, secrets);
    if after_values is null then return null; end if;
  end if;
  insert into audit_log (actor_id, actor_name, token_name, address, request_id, verb, table_name, row_id, before, after)
  values ((actor ->> 'id')::uuid, actor ->> 'name', actor ->> 'token', actor ->> 'address', actor ->> 'request', lower(tg_op), tg_table_name,
          key, before_values, after_values);
  return null;
end $$;

-- Has the changes of a table written down: `key` names its rows, and the columns of `leave_out` stay out. Where not every
-- change is meant, `verbs` and `only_when` say which, as a trigger has them.
create procedure keep_history(
  of_table text, key text, leave_out text[] default '{}',
  verbs text default 'insert or update or delete', only_when text default 'true'
) language plpgsql as $$
begin
  execute format(
    'create trigger record_change after %s on public.%I for each row when (current_setting(''mainstay.actor'', true) <> '''' and (%s)) execute function record_change(%s)',
    verbs, of_table, only_when,
    (select string_agg(quote_literal(argument), ', ' order by place)
       from unnest(key || leave_out) with ordinality arguments (argument, place)));
end $$;

-- What the row is, or is about, as the features declare it when it is written.
create function note_resource() returns trigger language plpgsql as $$
begin
  new.resource_type := kind_of_row(new.table_name);
  new.resource_id := as_id(id_of_row(new.table_name, new.row_id, coalesce(new.after, new.before)));
  return new;
end $$;

create trigger note_resource before insert on audit_log for each row execute function note_resource();

-- Changes with the name of what they are about, as it is called now. Of what is gone, or is no resource, the name that the
-- row had.
create view audit_entries as
  select a.*,
         -- What somebody did in one transaction is one act, which stands once in a list: with the first of its rows.
         not exists (select from audit_log b
                      where b.actor_id = a.actor_id and b.created_at = a.created_at
                        and b.request_id is not distinct from a.request_id and b.id < a.id) as is_first,
         s.name as resource_name,
         case when s.member_kind is null then ''
              else (select n.name || ' in ' from resource_names n where n.kind = s.member_kind and n.id = s.member_id) end ||
         coalesce(s.name, a.after ->> 'name', a.before ->> 'name', a.row_id) as row_name
    from audit_log a
    -- Once for each row, and not wherever it is asked for: hence the offset, which keeps it apart. Who counts rows looks up
    -- no names.
   cross join lateral (
     select (select coalesce(n.namespace || '/', '') || n.name from resource_names n
              where n.kind = a.resource_type and n.id = a.resource_id) as name,
            member_kind_of_row(a.table_name) as member_kind,
            as_id(member_id_of_row(a.table_name, coalesce(a.after, a.before))) as member_id
     offset 0) s;

-- Rows are written one by one: a transaction of many names the first hundred, and says of the others once that there are
-- more (PostgreSQL tells what was said twice once).
create function announce_audit() returns trigger language plpgsql as $$
declare
  named constant int := coalesce(nullif(current_setting('mainstay.audit_named', true), ''), '0')::int;
begin
  if named >= 100 then
    call announce('audit_entries', null);
    return null;
  end if;
  perform set_config('mainstay.audit_named', (named + 1)::text, true);
  call announce('audit_entries', array[new.id::text], 'insert');
  return null;
end $$;

create trigger announce_insert after insert on audit_log for each row execute function announce_audit();
